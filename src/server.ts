/** The entry point `millrace/server`: the gateway in a program. Node only. */

export type { HookRefusal } from './engine/request-hooks.ts'
export type {
  HookContext,
  HookOptions,
  MachineHook,
  MachineHookContext,
  RequestHook,
  RequestHookContext,
} from './gateway/call/hooks.ts'
export type { Config, ConfigInput } from './gateway/config/config.ts'
export { checkConfigValue, type Loaded } from './gateway/config/parse-config.ts'
export { loadConfig } from './host/config/load-config.ts'
export { type RunningServer, start as startServer } from './host/start.ts'
export type { StartOptions } from './host/start-options.ts'
export type { Machine, Step } from './machine/machine.ts'
export type { Delta } from './protocol/delta.ts'
export type { Request } from './protocol/request.ts'
