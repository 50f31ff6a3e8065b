import { REPLAY } from '../../gateway/config/checks.ts'
import type { Config } from '../../gateway/config/config.ts'
import { type ModelRouting, type ModelRule, routesFor, splitModel } from '../../gateway/config/model-rules.ts'
import { type Env, readVariable } from '../../gateway/config/secrets.ts'
import { createVendorRegistry, type VendorRegistry } from '../../gateway/vendors/vendor-registry.ts'
import { createRecordings } from '../../host/config/recordings-account.ts'
import { NODE_HASHES } from '../../host/node-hashes.ts'
import { createAgent, httpTransport } from '../../host/upstream/http-transport.ts'
import { didYouMean } from '../../text/did-you-mean.ts'
import { findVendor, VENDOR_NAMES } from '../../vendors/registry.ts'
import { VENDORS_OF_NAMES } from '../model-families.ts'
import type { Agent, SessionModel } from './agent.ts'

/** Which vendors serve the requests of an agent. */
interface ModelPlan extends ModelRouting {
  /** The model of `--model`; null: the names of the agent. */
  readonly model: SessionModel | null
  readonly vendors: readonly string[]
  /** Sentences about settings that the user may have forgotten. */
  readonly hints: readonly string[]
}

/** Throws an Error with the remedy if no vendor serves the model, or the names that the agent requests itself. */
export async function planModels(
  agent: Agent,
  config: Config,
  env: Env,
  model: string | undefined,
): Promise<ModelPlan> {
  let routing: ModelRouting = config
  // Nothing is sent: the registry only resolves names.
  const dispatcher = createAgent(config.timeouts)
  const registry = createVendorRegistry(config, env, httpTransport(dispatcher), {
    hashes: NODE_HASHES,
    recordings: createRecordings(),
    routing: () => routing,
  })
  try {
    routing = toOwnRouting(agent, config, registry.names)
    const plan = await planWith(agent, config, routing, registry, model)
    return { ...plan, vendors: registry.names, hints: missingKeys(config, env, registry) }
  } finally {
    await dispatcher.destroy()
  }
}

async function planWith(
  agent: Agent,
  config: Config,
  routing: ModelRouting,
  registry: VendorRegistry,
  model: string | undefined,
): Promise<Omit<ModelPlan, 'vendors' | 'hints'>> {
  if (model === undefined) {
    if (!servesOwnNames(agent, config, registry.names)) throw new Error(toRemedy(agent, registry.names))
    return { ...routing, model: null }
  }
  const fault = unknownVendor(model, config, registry.names)
  if (fault !== null) throw new Error(`--model: ${fault}`)
  const found = await registry.findAll(model)
  if (!found.ok) throw new Error(`--model: ${found.error.message.replace(/^model: /, '')}`)
  const [{ account, model: name }] = found.value
  return {
    models: [{ match: '*', to: found.value.map((route) => `${route.account.name}/${route.model}`) }],
    default_vendor: config.default_vendor,
    model: { vendor: account.name, model: name, wire: account.wire.name },
  }
}

/**
 * The fault of a name whose vendor does not exist; null for any other. A name with slashes may be one of a default vendor
 * that the user has configured, unless its beginning is nearly the name of a vendor.
 */
function unknownVendor(name: string, { models, default_vendor }: Config, names: readonly string[]): string | null {
  const { vendor, model } = splitModel(name)
  if (vendor === '' || model === '' || routesFor(models, name) !== null) return null
  if (names.includes(vendor) || findVendor(vendor) !== undefined) return null
  const meant = didYouMean(vendor, [...new Set([...names, ...VENDOR_NAMES])])
  return default_vendor === undefined || meant !== '' ? `the vendor "${vendor}" is not known.${meant}` : null
}

/** A key of the environment goes to the vendor's own address only, so that another one has none. */
const missingKeys = ({ vendors }: Config, env: Env, registry: VendorRegistry): readonly string[] =>
  Object.entries(vendors).flatMap(([name, entry]) => {
    const row = findVendor(entry.vendor ?? name)
    const account = row === undefined ? undefined : registry.accountOn(name, entry.wire ?? row.wire)
    const variable = row?.keyVariable ?? null
    if (account?.key !== null || entry.headers !== undefined || variable === null) return []
    return readVariable(env, variable) === ''
      ? []
      : [
          `vendors.${name} has no key, although ${variable} is set. To send it there, add "key": {"env": "${variable}"}.`,
        ]
  })

/** The rules of the user before those of the families whose vendors the server has. */
function toOwnRouting(
  { vendors }: Agent,
  { models, default_vendor }: ModelRouting,
  names: readonly string[],
): ModelRouting {
  const own = new Set(models.map(({ match }) => match))
  const rules = VENDORS_OF_NAMES.filter(([match, vendor]) => names.includes(vendor) && !own.has(match)).map(
    ([match, vendor]): ModelRule => ({ match, to: [`${vendor}/*`] }),
  )
  return {
    models: [...models, ...rules],
    default_vendor: default_vendor ?? vendors.find((vendor) => names.includes(vendor)),
  }
}

/** The only vendor of a server is no reason: it has no models of the names that agents for other vendors request. */
const servesOwnNames = (
  { vendors, ownModel }: Agent,
  { models, default_vendor }: ModelRouting,
  names: readonly string[],
): boolean =>
  vendors.some((vendor) => names.includes(vendor)) ||
  (ownModel !== null && (default_vendor !== undefined || routesFor(models, ownModel) !== null))

/** The variables of the vendors whose models most users have. */
const COMMON = ['ANTHROPIC_API_KEY', 'OPENAI_API_KEY', 'GEMINI_API_KEY']

function toRemedy({ name, vendors }: Agent, names: readonly string[]): string {
  const variables = vendors.flatMap((vendor) => findVendor(vendor)?.keyVariable ?? [])
  const own = variables.slice(0, COMMON.length).join(', ')
  // Recordings are no reason to start an agent.
  const present = names.filter((vendor) => vendor !== REPLAY)
  if (present.length === 0) {
    const others = COMMON.filter((variable) => !variables.includes(variable))
    const further = others.length === 0 ? '' : `, such as ${others.join(', ')}`
    return `no vendor has a key. Set ${own}, or pass --model <vendor>/<model> with the key of another vendor${further}. millrace vendors lists all`
  }
  return `${name} requests models of ${vendors.join(', ')}, which this server does not have. Set ${own}, or pass --model <vendor>/<model> with one of its vendors: ${present.join(', ')}`
}
