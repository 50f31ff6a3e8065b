/** The entry point `millrace/fetch`: the gateway as a function from Request to Response, for every runtime with fetch. */

export type { HookRefusal } from './engine/request-hooks.ts'
export { createGateway, type FetchGateway, type GatewayOptions } from './fetch/create-gateway.ts'
export type { Fetch } from './fetch/fetch-transport.ts'
export type { RateStore } from './gateway/auth/rate-limit.ts'
export type { RateLimit, Taken } from './gateway/auth/token-bucket.ts'
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
export type { Log, LogLine } from './gateway/telemetry/log.ts'
export type { Machine, Step } from './machine/machine.ts'
export type { Delta } from './protocol/delta.ts'
export type { Request } from './protocol/request.ts'
