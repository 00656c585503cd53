import { keepInferenceHost } from 'inpage/extension';

keepInferenceHost({ host: 'host.html' });
chrome.sidePanel.setPanelBehavior({ openPanelOnActionClick: true });
