#!/usr/bin/env node
import { holdHangUps } from './hang-up.ts'

// Before the rest is loaded: imports at the top would all come first.
holdHangUps()
const { run } = await import('./run.ts')
process.exitCode = await run(process.argv.slice(2), process)
