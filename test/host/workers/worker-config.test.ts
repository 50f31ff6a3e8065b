import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { checkConfigValue } from '../../../src/gateway/config/parse-config.ts'
import { toWorkerConfig } from '../../../src/host/workers/worker-config.ts'

const configOf = (value: object) => {
  const loaded = checkConfigValue(value)
  if (!loaded.ok) throw new Error(loaded.problems.join('\n'))
  return loaded.config
}

describe('the configuration of a worker', () => {
  it('has a share of what all workers may use together', () => {
    fc.assert(
      fc.property(fc.integer({ min: 2, max: 256 }), fc.integer({ min: 256, max: 1_000_000 }), (workers, whole) => {
        const config = configOf({
          listen: { workers },
          connections: { most: whole },
          websocket: { connections_per_key: whole, kept_memory_bytes: whole },
          limits: { request_bodies_memory_bytes: whole, answers_memory_bytes: whole },
        })
        const { connections, websocket, limits, page } = toWorkerConfig(config, workers, 'secret')
        for (const share of [
          connections.most,
          websocket.connections_per_key,
          websocket.kept_memory_bytes,
          limits.request_bodies_memory_bytes,
          limits.answers_memory_bytes,
        ]) {
          expect(share).toBeGreaterThan(0)
          expect(share * workers).toBeLessThanOrEqual(whole)
          expect((share + 1) * workers).toBeGreaterThan(whole)
        }
        expect(page).toBe(false)
      }),
    )
  })

  it('signs encrypted reasoning with the secret of all workers, unless one is configured', () => {
    expect(toWorkerConfig(configOf({}), 2, 'shared').encrypted_content_secret).toBe('shared')
    const own = configOf({ encrypted_content_secret: 'configured' })
    expect(toWorkerConfig(own, 2, 'shared').encrypted_content_secret).toBe('configured')
  })

  it.each([
    [{ page: true }, 'page: expected false with listen.workers above 1'],
    [{ resume: {} }, 'resume: expected only with one worker (listen.workers)'],
    [{ connections: { most: 3 } }, 'connections.most: expected at least 4, one for each worker'],
    [{ websocket: { connections_per_key: 1 } }, 'websocket.connections_per_key: expected at least 4'],
  ])('is refused with %j', (more, problem) => {
    const loaded = checkConfigValue({ listen: { workers: 4 }, ...more })
    expect(loaded).toMatchObject({ ok: false, problems: [expect.stringContaining(problem)] })
    expect(checkConfigValue(more).ok).toBe(true)
  })
})
