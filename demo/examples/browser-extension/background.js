import { keepInferenceHost } from 'inpage/extension';

keepInferenceHost({ host: 'host.html', consent: 'consent.html' });
chrome.sidePanel.setPanelBehavior({ openPanelOnActionClick: true });
