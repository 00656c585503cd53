import { keepInferenceHost } from 'inpage/extension';

keepInferenceHost({ host: 'host.html', consent: 'consent.html' });
// Firefox has a sidebar instead, which the manifest names.
chrome.sidePanel?.setPanelBehavior({ openPanelOnActionClick: true });
