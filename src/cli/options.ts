import { parseArgs } from 'node:util'

const OPTIONS = {
  config: { type: 'string' },
  from: { type: 'string' },
  to: { type: 'string' },
  vendor: { type: 'string' },
  collect: { type: 'boolean' },
  pieces: { type: 'string' },
  out: { type: 'string' },
  dialect: { type: 'string' },
  slow: { type: 'boolean' },
  bytes: { type: 'boolean' },
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean', short: 'v' },
} as const

export const parse = (args: readonly string[]) =>
  parseArgs({ args: [...args], options: OPTIONS, allowPositionals: true })

export type Options = ReturnType<typeof parse>['values']
