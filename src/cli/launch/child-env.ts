import type { Env } from '../../gateway/config/secrets.ts'
import type { Agent, AgentSession } from './agent.ts'

const PROXIES: readonly string[] = ['HTTP_PROXY', 'http_proxy', 'HTTPS_PROXY', 'https_proxy', 'ALL_PROXY', 'all_proxy']
const EXCEPTIONS: readonly string[] = ['NO_PROXY', 'no_proxy']

/** The environment of the agent: the user's own, with the variables that direct the agent to the server. */
export function toChildEnv(env: Env, agent: Agent, session: AgentSession): Env {
  const kept = Object.entries(env).filter(([name]) => !agent.removed.includes(name))
  return { ...Object.fromEntries(kept), ...withoutProxy(env), ...agent.env(session) }
}

/** A proxy of the user cannot reach this machine's loopback address. */
function withoutProxy(env: Env): Env {
  if (PROXIES.every((name) => (env[name] ?? '') === '')) return {}
  const hosts = EXCEPTIONS.map((name) => env[name] ?? '').find((list) => list !== '')
  const list = [...(hosts === undefined ? [] : [hosts]), '127.0.0.1'].join(',')
  return Object.fromEntries(EXCEPTIONS.map((name) => [name, list]))
}
