import type { Config, ConfigInput } from '../../gateway/config/config.ts'
import { type Env, readVariable } from '../../gateway/config/secrets.ts'
import { ENGINES } from '../../search/registry.ts'
import { lookup } from '../../text/lookup.ts'
import { findVendor } from '../../vendors/registry.ts'
import { CLIENT_WIRES } from '../../wires/find-wire.ts'
import type { ExchangeSettings } from './exchange-format.ts'
import type { StoredExchange } from './read-exchange.ts'

/** Stands for every key: no call leaves the process. */
const KEY = 'recorded'

const REGION = 'us-east-1'

/** Stands for the base URL of a recording without one. */
const NO_HOST = 'https://recorded.invalid'

type VendorsInput = NonNullable<ConfigInput['vendors']>
type VendorInput = VendorsInput[string]

/** The variables that the server of a replay reads. */
export function replayEnv(env: Env, exchanges: readonly StoredExchange[]): Env {
  const engines = exchanges.flatMap(({ settings: { wire, vendor } }) => {
    const variable = wire === null ? lookup(ENGINES, vendor)?.keyVariable : null
    return variable == null ? [] : [[variable, KEY] as const]
  })
  const { PORT, MILLRACE_DEV_KEY, AWS_REGION } = env
  return { PORT, MILLRACE_DEV_KEY, AWS_REGION: AWS_REGION ?? REGION, ...Object.fromEntries(engines) }
}

/**
 * The configuration of a server that answers from recordings: each recorded vendor exists, with a key that stands for
 * its own, and nothing is sent to destinations or a shared store.
 */
export function replayConfig(config: Config, env: Env, exchanges: readonly StoredExchange[]): ConfigInput {
  const configured = Object.entries(config.vendors).map(([name, { pool, ...entry }]): [string, VendorInput] => [
    name,
    {
      ...withRecordedKey(entry),
      ...(pool === undefined ? {} : { pool: pool.map(withRecordedKey) }),
    } as VendorInput,
  ])
  const { rate_limit, search, encrypted_content_secret: sealing, ...rest } = config
  const { redis: _, ...rates } = rate_limit
  const secret = typeof sealing === 'object' ? readVariable(env, sealing.env) : (sealing ?? '')
  return {
    ...rest,
    rate_limit: rates,
    // Conversations of the recorded server continue where its secret is still known.
    ...(secret === '' ? {} : { encrypted_content_secret: secret }),
    destinations: [],
    search: search.key === undefined ? search : { ...search, key: KEY },
    vendors: { ...recordedVendors(exchanges), ...Object.fromEntries(configured) },
  } as ConfigInput
}

const withRecordedKey = <T extends { readonly aws?: { readonly region?: string | undefined } | undefined }>({
  aws,
  ...entry
}: T) => ({
  ...entry,
  ...(aws === undefined ? {} : { aws: { region: aws.region } }),
  key: KEY,
})

function recordedVendors(exchanges: readonly StoredExchange[]): VendorsInput {
  const byName = new Map<string, ExchangeSettings[]>()
  for (const { settings } of exchanges) {
    if (settings.wire === null || settings.vendor === '') continue
    byName.set(settings.vendor, [...(byName.get(settings.vendor) ?? []), settings])
  }
  return Object.fromEntries([...byName].map(([name, all]) => [name, toEntry(name, all)]))
}

/** A vendor at its own address has its wires and quirks in the table. */
function toEntry(name: string, all: readonly ExchangeSettings[]): VendorInput {
  const [first] = all
  if (first === undefined || isAtHome(name, first)) return { key: KEY }
  const addressOf = ({ base_url }: ExchangeSettings): string => (URL.canParse(base_url) ? base_url : NO_HOST)
  const others = all.filter(({ wire }) => wire !== first.wire && CLIENT_WIRES.some((client) => client === wire))
  return {
    wire: first.wire ?? undefined,
    base_url: addressOf(first),
    key: KEY,
    quirks: first.quirks as VendorInput['quirks'],
    ...(others.length === 0 ? {} : { wires: Object.fromEntries(others.map((one) => [one.wire, addressOf(one)])) }),
  }
}

function isAtHome(name: string, { base_url }: ExchangeSettings): boolean {
  const row = findVendor(name)
  const homes = [row?.baseUrl, ...Object.values(row?.wires ?? {}).map((wire) => wire?.baseUrl)]
  return homes.some((home) => {
    const [before = '', after = ''] = (home ?? '').split('{region}')
    return (
      before !== '' && base_url.startsWith(before) && base_url.replace(/\/$/, '').endsWith(after.replace(/\/$/, ''))
    )
  })
}
