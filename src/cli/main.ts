#!/usr/bin/env node
import { holdHangUps } from './hang-up.ts'

// A static import of `run.ts` would be loaded before this call.
holdHangUps()
const { runCli: run } = await import('./run.ts')
process.exitCode = await run(process.argv.slice(2), process)
