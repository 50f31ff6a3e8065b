/** The entry point `millrace/server`: the gateway in a program. Node only. */

export type { Config, ConfigInput } from './host/config/config.ts'
export { checkConfigValue, type Loaded, loadConfig } from './host/config/load-config.ts'
export { type RunningServer, type StartOptions, start as startServer } from './host/start.ts'
