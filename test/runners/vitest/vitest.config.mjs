export default {
  test: {
    projects: ['node', 'jsdom'].map((environment) => ({
      test: { name: environment, environment, include: ['*.test.mjs'], testTimeout: 30_000 },
    })),
  },
};
