import tests, { short } from './vitest.config.ts'

/** `npm test`. The tests of one file or folder run in their own project: `npx vitest run --project unit test/wires`. */
export default { ...tests, test: { ...tests.test, projects: [short] } }
