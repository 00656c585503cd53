export function findOddEnglish(name: string, text: string): string[];
export function isProseFile(name: string): boolean;
