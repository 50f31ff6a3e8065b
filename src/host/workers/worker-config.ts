import type { Config } from '../../gateway/config/config.ts'

/**
 * The configuration of one worker. What all connections together may use is divided, so that the sum of all workers stays
 * within the limit. `workers`: their number. `secret`: signs encrypted reasoning if the configuration has no secret, because the next turn of a
 * conversation may reach another worker.
 */
export function toWorkerConfig(config: Config, workers: number, secret: string): Config {
  const share = (whole: number): number => Math.floor(whole / workers)
  return {
    ...config,
    // The page of a worker would show the requests of this worker only.
    page: false,
    connections: { ...config.connections, most: share(config.connections.most) },
    websocket: {
      ...config.websocket,
      connections_per_key: share(config.websocket.connections_per_key),
      kept_memory_bytes: Math.max(1, share(config.websocket.kept_memory_bytes)),
    },
    limits: {
      ...config.limits,
      request_bodies_memory_bytes: Math.max(1, share(config.limits.request_bodies_memory_bytes)),
      answers_memory_bytes: Math.max(1, share(config.limits.answers_memory_bytes)),
    },
    encrypted_content_secret: config.encrypted_content_secret ?? secret,
  }
}
