import * as apps from 'kubernetes-models/apps/v1'
import * as autoscaling from 'kubernetes-models/autoscaling/v2'
import * as networking from 'kubernetes-models/networking.k8s.io/v1'
import * as policy from 'kubernetes-models/policy/v1'
import * as core from 'kubernetes-models/v1'
import { describe, expect, it } from 'vitest'
import { readPage } from '../../docs/generate.ts'
import type { Config } from '../../src/gateway/config/config.ts'
import { parseConfig } from '../../src/gateway/config/parse-config.ts'
import { MANIFESTS, readDeployed, readYaml, VARIABLES } from './files.ts'
import { type TypedObject, undeclaredFields } from './undeclared-fields.ts'

interface Manifest {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: { readonly name: string }
}

/** The models of each version of the API, with the package's module of the same types. */
const MODELS: Readonly<Record<string, readonly [module: string, models: object]>> = {
  v1: ['kubernetes-models/v1', core],
  'apps/v1': ['kubernetes-models/apps/v1', apps],
  'autoscaling/v2': ['kubernetes-models/autoscaling/v2', autoscaling],
  'networking.k8s.io/v1': ['kubernetes-models/networking.k8s.io/v1', networking],
  'policy/v1': ['kubernetes-models/policy/v1', policy],
}

interface Model {
  validate(): void
}

const objects = MANIFESTS.flatMap((name) => readYaml(name)) as readonly Manifest[]

function validate(manifest: Manifest): void {
  const [, models = {}] = MODELS[manifest.apiVersion] ?? []
  const Kind = (models as Readonly<Record<string, new (value: object) => Model>>)[manifest.kind]
  if (Kind === undefined) throw new Error(`there is no ${manifest.kind} in ${manifest.apiVersion}`)
  new Kind(manifest).validate()
}

const typed = (manifest: Manifest): TypedObject => ({
  module: MODELS[manifest.apiVersion]?.[0] ?? '',
  type: `I${manifest.kind}`,
  value: manifest,
})

/** The object of a kind. */
const of = <Kind>(kind: string): Kind => objects.find((one) => one.kind === kind) as Kind

const deployment = of<apps.IDeployment>('Deployment')
const pod = deployment.spec?.template?.spec
const [container] = pod?.containers ?? []

function readConfig(): Config {
  const { data = {} } = of<core.IConfigMap>('ConfigMap')
  const loaded = parseConfig(data['config.json'] ?? '', VARIABLES)
  if (!loaded.ok) throw new Error(loaded.problems.join('\n'))
  return loaded.config
}

describe('the manifests of Kubernetes', () => {
  it.each(objects.map((one) => [one.kind, one] as const))('match the schema of %s', (_, one) => {
    validate(one)
    expect(one.metadata.name).toBe('millrace')
  })

  it('have no field that their types do not declare', () => {
    expect(undeclaredFields(objects.map(typed))).toEqual([])
  })

  it.each([
    ['Deployment', { replicas: 'three' }, 'replicas', { minReadySecond: 3 }],
    ['Service', { ports: 80 }, 'ports', { clusterIp: 'None' }],
    ['HorizontalPodAutoscaler', { maxReplicas: 'many' }, 'maxReplicas', { minReplica: 3 }],
    ['PodDisruptionBudget', { selector: 'millrace' }, 'selector', { maxUnavailble: 1 }],
    ['NetworkPolicy', { egress: [{ ports: [{ protocol: 6 }] }] }, 'protocol', { policyType: ['Egress'] }],
  ])('are checked by a schema and types that find mistakes in a %s', (kind, wrong, field, misspelt) => {
    const changed = (change: object): Manifest => {
      const manifest = of<Manifest & { readonly spec: object }>(kind)
      return { ...manifest, spec: { ...manifest.spec, ...change } } as Manifest
    }
    expect(() => validate(changed(wrong))).toThrow(field)
    expect(undeclaredFields([typed(changed(misspelt))])).toEqual([
      expect.stringContaining(Object.keys(misspelt)[0] as string),
    ])
  })

  it('select the pods of the Deployment', () => {
    const labels = { 'app.kubernetes.io/name': 'millrace' }
    expect(deployment.spec?.template?.metadata?.labels).toEqual(labels)
    expect(deployment.spec?.selector.matchLabels).toEqual(labels)
    expect(of<core.IService>('Service').spec?.selector).toEqual(labels)
    expect(of<policy.IPodDisruptionBudget>('PodDisruptionBudget').spec?.selector?.matchLabels).toEqual(labels)
    expect(of<networking.INetworkPolicy>('NetworkPolicy').spec?.podSelector?.matchLabels).toEqual(labels)
  })

  it('name a port of the container in the Service, the probes and the rules of the network', () => {
    const named = [
      ...(of<core.IService>('Service').spec?.ports ?? []).map(({ targetPort }) => targetPort),
      ...(of<networking.INetworkPolicy>('NetworkPolicy').spec?.ingress ?? []).flatMap(({ ports = [] }) =>
        ports.map(({ port }) => port),
      ),
      container?.readinessProbe?.httpGet?.port,
      container?.livenessProbe?.httpGet?.port,
      container?.startupProbe?.httpGet?.port,
    ]
    expect(named).toEqual(Array.from({ length: 5 }, () => 'http'))
    expect(container?.ports).toEqual([{ name: 'http', containerPort: readConfig().listen.port ?? 8787 }])
  })

  it('give a drain the time that the configuration allows it', () => {
    const { drain } = readConfig()
    expect(pod?.terminationGracePeriodSeconds).toBeGreaterThan(drain.notice_seconds + drain.limit_seconds)
    const { periodSeconds = 10, failureThreshold = 3 } = container?.readinessProbe ?? {}
    expect(drain.notice_seconds).toBeGreaterThan(periodSeconds * failureThreshold)
  })

  it('scale by a metric that the server has, with room for the connections of each pod', () => {
    const { metrics = [], scaleTargetRef } =
      of<autoscaling.IHorizontalPodAutoscaler>('HorizontalPodAutoscaler').spec ?? {}
    expect(scaleTargetRef).toEqual({ apiVersion: 'apps/v1', kind: 'Deployment', name: deployment.metadata?.name })
    const [streams] = metrics
    expect(readPage('docs/metrics.md')).toContain(`\`${streams?.pods?.metric.name}\` | gauge`)
    expect(readConfig().connections.most).toBeGreaterThan(2 * Number(streams?.pods?.target.averageValue))
  })

  it('name the secrets that the configuration reads', () => {
    const text = readDeployed('kubernetes/config.yaml')
    const read = [...text.matchAll(/"env": "(\w+)"/g)].map(([, name]) => name)
    const described = readDeployed('kubernetes/deployment.yaml')
    expect(read.length).toBeGreaterThan(0)
    expect(read.filter((name) => !described.includes(name as string))).toEqual([])
  })
})
