import { afterEach } from 'vitest'
import { closeAll } from './harness.ts'

/** A setup file runs for each file of tests, where modules that it shares with others are loaded only once. */
afterEach(closeAll)
