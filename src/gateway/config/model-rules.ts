import { upstreamModel } from '../../models/model-facts.ts'

/** A rule of the configuration: names of models, and the routes `<vendor>/<model>` that serve them. */
export interface ModelRule {
  readonly match: string
  readonly to: readonly string[]
  /** Further routes continue a text in the middle of which an upstream has died. Left out: they do not. */
  readonly continue?: boolean
}

/** The parts of a configuration that decide which vendor serves a model. They can change while the server runs. */
export interface ModelRouting {
  readonly models: readonly ModelRule[]
  readonly default_vendor?: string | undefined
}

/** Splits `<vendor>/<model>` at its first slash. The vendor is empty if there is no slash. */
export function splitModel(name: string): { readonly vendor: string; readonly model: string } {
  const slash = name.indexOf('/')
  return { vendor: name.slice(0, Math.max(slash, 0)), model: name.slice(slash + 1) }
}

/**
 * Whether a whole name matches a pattern in which each `*` stands for any text, also an empty one. Linear in the length
 * of the name for each piece of the pattern: a piece is searched from the end of the one before it, and never again.
 */
export function matchesName(pattern: string, name: string): boolean {
  const [first = '', ...rest] = pattern.split('*')
  const last = rest.pop()
  if (last === undefined) return pattern === name
  if (name.length < first.length + last.length || !name.startsWith(first) || !name.endsWith(last)) return false
  const end = name.length - last.length
  let at = first.length
  for (const piece of rest) {
    const found = name.indexOf(piece, at)
    if (found < 0 || found + piece.length > end) return false
    at = found + piece.length
  }
  return true
}

/** The first rule that matches a name. */
export const ruleFor = (rules: readonly ModelRule[], name: string): ModelRule | undefined =>
  rules.find(({ match }) => matchesName(match, name))

/**
 * The routes of the first rule that matches a name, as `<vendor>/<model>` with the name in place of each `*`; null if
 * no rule matches. A pattern that begins with a vendor redirects its models, so the text before the last slash that
 * precedes the first `*` is not part of the name then: `openai/*` to `azure/*` turns `openai/gpt-5` into `azure/gpt-5`.
 */
export function routesFor(rules: readonly ModelRule[], name: string): readonly string[] | null {
  const rule = ruleFor(rules, name)
  if (rule === undefined) return null
  const [fixed = ''] = rule.match.split('*', 1)
  const own = name.slice(fixed.lastIndexOf('/') + 1)
  return rule.to.map((route) => route.replaceAll('*', () => own))
}

/** The models that a member of a pool serves: names or patterns, or its own names by them. */
export type MemberModels = readonly string[] | Readonly<Record<string, string>>

/** A member serves all models where it has none of its own. */
interface Member {
  readonly models?: MemberModels | undefined
}

/** The members that serve a model. */
export const membersFor = <T extends Member>(members: readonly T[], model: string): readonly T[] =>
  members.filter((member) => nameAtMember(member, model) !== null)

/** The name of a model at a member, without the note of a client; null if the member does not serve the model. */
export function nameAtMember({ models }: Member, noted: string): string | null {
  const model = upstreamModel(noted)
  if (models === undefined) return model
  if (isList(models)) return models.some((pattern) => matchesName(pattern, model)) ? model : null
  const rules = Object.entries(models).map(([match, name]) => ({ match, to: [name] }))
  return routesFor(rules, model)?.[0] ?? null
}

/** The names without `*` that a member has. */
export const namesOfMember = (models: MemberModels = []): readonly string[] =>
  (isList(models) ? models : Object.keys(models)).filter((name) => !name.includes('*'))

const isList = (models: MemberModels): models is readonly string[] => Array.isArray(models)

/**
 * The names that clients may send by these rules, in the order of the rules: that of a rule for one name, and for a
 * rule with `*` those models of its first route that it matches. `listed`: the models of each vendor that lists them.
 */
export function namesByRules(
  rules: readonly ModelRule[],
  listed: ReadonlyMap<string, readonly string[]>,
): readonly string[] {
  const patterns = rules.map(({ match }) => match)
  // Lists are long, and each rule has to find its own names: a name is compared with the rules once.
  const known = new Map<string, number>()
  const firstFor = (name: string): number => {
    const at = known.get(name) ?? patterns.findIndex((match) => matchesName(match, name))
    known.set(name, at)
    return at
  }
  return patterns.flatMap((match, at) => {
    if (!match.includes('*')) return [match]
    const { vendor, model } = splitModel(rules[at]?.to[0] ?? '')
    const names = model === '*' ? (listed.get(vendor) ?? []) : []
    return names.filter((name) => firstFor(name) === at)
  })
}

type Problem = readonly [path: (string | number)[], message: string]

/**
 * The routes and the default vendor that this server cannot serve. `whyNot`: the reason why there is no such vendor;
 * null if there is one.
 */
export function* routingProblems(
  { models, default_vendor }: ModelRouting,
  whyNot: (vendor: string) => string | null,
): Iterable<Problem> {
  for (const [index, { to }] of models.entries()) {
    for (const [place, route] of to.entries()) {
      const { vendor, model } = splitModel(route)
      const path = ['models', index, 'to', place]
      const fault = vendor === '' || model === '' ? null : whyNot(vendor)
      if (vendor === '' || model === '') yield [path, 'expected <vendor>/<model>']
      else if (fault !== null) yield [path, fault]
    }
  }
  const fault = default_vendor === undefined ? null : whyNot(default_vendor)
  if (fault !== null) yield [['default_vendor'], fault]
}
