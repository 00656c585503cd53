module.exports = {
  testTimeout: 30_000,
  projects: ['jest-environment-node', 'jest-environment-jsdom'].map((name) => ({
    displayName: name,
    rootDir: __dirname,
    testEnvironment: name,
  })),
};
