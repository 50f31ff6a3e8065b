import type { JsonRecord } from '../../protocol/json.ts'
import type { Loss } from '../../protocol/loss.ts'
import type { Request } from '../../protocol/request.ts'
import { createSourceMap, type PathMap } from '../../protocol/source-map.ts'
import type { Steps } from '../../text/steps.ts'
import type { Facts, Fitted } from './rule.ts'
import { rulesFor } from './rules.ts'
import { subjectsOf } from './subjects.ts'

/** The work of a rule in one request. */
interface RuleChange {
  /** The name of the rule. */
  readonly rule: string
  /** The members of the request that it changed: settings by their paths, such as `reasoning.effort`. */
  readonly members: readonly string[]
  /** With paths of the request before all rules. */
  readonly losses: readonly Loss[]
}

/** A request that obeys all rules of its upstream. */
interface Mended extends Fitted {
  readonly toEarlier: PathMap
  /** Empty: the request breaks no rule. */
  readonly changes: readonly RuleChange[]
}

const samePath: PathMap = (path) => path

/** Mends a request for its upstream, in slices. The same object: it breaks no rule. `rules`: all of the upstream. */
export function* mendRequest(original: Request, facts: Facts, rules = rulesFor(facts)): Steps<Mended> {
  let request = original
  let toEarlier = samePath
  const losses: Loss[] = []
  const changes: RuleChange[] = []
  let subjects = subjectsOf(request)
  for (const { name, subject, mend } of rules) {
    if (subject !== undefined && !subjects[subject]) continue
    const result = mend(request, facts)
    const fitted = isSteps(result) ? yield* result : result
    checkFitted(fitted, name)
    if (fitted.request === request && fitted.losses.length === 0) continue
    const own = toEarlier === samePath ? fitted.losses : createSourceMap(toEarlier).toClientLosses(fitted.losses)
    losses.push(...own)
    if (fitted.request === request) continue
    changes.push({ rule: name, members: changedMembers(request, fitted.request), losses: own })
    request = fitted.request
    subjects = subjectsOf(request)
    if (fitted.toEarlier !== undefined) toEarlier = composed(toEarlier, fitted.toEarlier)
  }
  return { request, losses, toEarlier, changes }
}

const isSteps = (result: Fitted | Steps<Fitted>): result is Steps<Fitted> =>
  typeof result === 'object' && result !== null && 'next' in result

/** Throws a TypeError for the result of a rule of a program that is none. */
function checkFitted(fitted: Fitted | null | undefined, rule: string): void {
  if (typeof fitted?.request !== 'object' || !Array.isArray(fitted.losses))
    throw new TypeError(`rule "${rule}": mend returned no { request, losses }`)
}

function composed(outer: PathMap, inner: PathMap): PathMap {
  if (outer === samePath) return inner
  return (path) => {
    const between = inner(path)
    return between === null ? null : outer(between)
  }
}

/** Settings that are objects: each of their members is a setting of its own. */
const NESTED = ['reasoning', 'text'] as const

const changedNames = (before: JsonRecord, after: JsonRecord): readonly string[] =>
  [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
    (name) => (before[name] ?? null) !== (after[name] ?? null),
  )

const asRecord = (value: object | null): JsonRecord => ({ ...value })

function changedMembers(before: Request, after: Request): readonly string[] {
  const inner = NESTED.flatMap((name) =>
    changedNames(asRecord(before[name]), asRecord(after[name])).map((member) => `${name}.${member}`),
  )
  const nested: readonly string[] = NESTED
  return [...changedNames(asRecord(before), asRecord(after)).filter((name) => !nested.includes(name)), ...inner]
}
