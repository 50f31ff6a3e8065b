import { createHmac, hash } from 'node:crypto'
import type { Config, ConfigInput } from '../../gateway/config/config.ts'
import type { ModelRouting } from '../../gateway/config/model-rules.ts'
import { type Env, readVariable } from '../../gateway/config/secrets.ts'
import { findVendor, VENDOR_NAMES } from '../../vendors/registry.ts'
import { API_PATH, VERTEX_PATH } from './agents.ts'

/** Processes that an agent leaves behind may have open streams, for which its exit code does not wait. */
const DRAIN = { notice_seconds: 0, limit_seconds: 1 }

/** The configuration of the server of one launch: the user's own, on a free port and with the key of the launch alone. */
export function toSessionConfig(
  config: Config,
  { models, default_vendor }: ModelRouting,
  key: string,
  env: Env,
): ConfigInput {
  const { encrypted_content_secret = stableSecret(env) } = config
  return {
    ...config,
    ...(encrypted_content_secret === undefined ? {} : { encrypted_content_secret }),
    listen: { host: '127.0.0.1', port: 0 },
    mounts: [API_PATH, VERTEX_PATH].map((path) => ({ path, dialect: 'openai' })),
    keys: [{ name: 'launch', sha256: hash('sha256', key) }],
    models: models.map(({ match, to }) => ({ match, to: [...to] })),
    default_vendor,
    // Other users of the machine reach the port, and no key of this server is one for metrics.
    metrics: { management_key: true },
    drain: DRAIN,
  }
}

/**
 * A secret that is the same in each launch with the same keys, so that a conversation that another launch continues
 * keeps its reasoning; undefined if the environment has no key.
 */
function stableSecret(env: Env): string | undefined {
  const variables = new Set(VENDOR_NAMES.flatMap((vendor) => findVendor(vendor)?.keyVariable ?? []))
  const keys = [...variables].map((variable) => readVariable(env, variable)).filter((key) => key !== '')
  return keys.length === 0 ? undefined : createHmac('sha256', keys.join('\n')).update('millrace launch').digest('hex')
}
