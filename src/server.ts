/** The entry point `millrace/server`: the gateway in a program. Node only. */

export type { Config, ConfigInput } from './gateway/config/config.ts'
export { checkConfigValue, type Loaded } from './gateway/config/parse-config.ts'
export { loadConfig } from './host/config/load-config.ts'
export { type RunningServer, type StartOptions, start as startServer } from './host/start.ts'
