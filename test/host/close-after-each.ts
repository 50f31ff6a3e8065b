import { afterEach } from 'vitest'
import { closeAll } from './test-server.ts'

/** A setup file runs for each test file, while modules shared between files are loaded only once. */
afterEach(closeAll)
