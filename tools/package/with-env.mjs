/**
 * `node with-env.mjs NAME=VALUE… PROGRAM ARGUMENTS…` runs a program of `node_modules/.bin` with variables, in every shell:
 * that of Windows has no `NAME=VALUE PROGRAM`.
 */
import { spawnSync } from 'node:child_process'

const words = process.argv.slice(2)
const at = words.findIndex((word) => !/^\w+=/.test(word))
const env = { ...process.env, ...Object.fromEntries(words.slice(0, at).map((word) => word.split(/=(.*)/s, 2))) }
const [program, ...args] = words.slice(at)
const { status } = spawnSync(program, args, { env, stdio: 'inherit', shell: process.platform === 'win32' })
process.exit(status ?? 1)
