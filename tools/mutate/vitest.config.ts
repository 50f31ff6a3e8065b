import { fileURLToPath } from 'node:url'
import { mergeConfig } from 'vitest/config'
import tests from '../../vitest.config.ts'

const runner = fileURLToPath(new URL('runner.ts', import.meta.url))

/** The tests of the project, each of them for every change that it reaches. */
export default mergeConfig(tests, { root: fileURLToPath(new URL('../..', import.meta.url)), test: { runner } })
