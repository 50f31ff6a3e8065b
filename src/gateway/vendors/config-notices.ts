import type { Config } from '../config/config.ts'
import { matchesName, splitModel } from '../config/model-rules.ts'
import type { VendorAccount } from './accounts.ts'

/** Options of a configuration that are allowed, and have no effect or another one than it seems. */
export const configNotices = (
  config: Pick<Config, 'models' | 'keys'>,
  accounts: ReadonlyMap<string, VendorAccount>,
  /** Names of models need no vendor, because one is the default. */
  isBare: boolean,
): readonly string[] => [
  ...sameAccounts(accounts),
  ...lonelyRules(config.models, accounts),
  ...(isBare ? [] : unusedPatterns(config)),
]

/** Clients send names with their vendor, so that a pattern without one fits the names of rules alone. */
function* unusedPatterns({ models, keys }: Pick<Config, 'models' | 'keys'>): Iterable<string> {
  for (const [index, key] of keys.entries())
    for (const [at, pattern] of (key.models ?? []).entries()) {
      const fits = models.some(({ match }) => matchesName(pattern, match) || matchesName(match, pattern))
      if (fits || /^\*|\//.test(pattern)) continue
      yield `keys[${index}].models[${at}]: no model has the name "${pattern}", because names are <provider>/<model>. Write "*/${pattern}", or add a rule for it.`
    }
}

/** Members with one key have one limit, so that the second one is called in vain after a refusal of the first. */
function* sameAccounts(accounts: ReadonlyMap<string, VendorAccount>): Iterable<string> {
  for (const [vendor, { pool }] of accounts) {
    const known = new Map<string, string>()
    for (const { name, account } of pool?.members ?? []) {
      const first = known.get(account.identity.account)
      if (first === undefined) known.set(account.identity.account, name)
      else
        yield `vendors.${vendor}.pool: the members ${first} and ${name} have the same address and key. They share the limits of one account.`
    }
  }
}

function* lonelyRules(models: Config['models'], accounts: ReadonlyMap<string, VendorAccount>): Iterable<string> {
  for (const [index, rule] of models.entries()) {
    const [route = '', ...further] = rule.to
    const members = accounts.get(splitModel(route).vendor)?.pool?.members ?? []
    if (rule.continue && further.length === 0 && members.length < 2)
      yield `models[${index}].continue: no effect, because the rule has one route, and its vendor no pool. Add a route.`
  }
}
