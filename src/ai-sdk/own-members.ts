import type { JsonObject } from '../protocol/json.ts'
import { OWN_NAMESPACE } from '../targets/front-end.ts'
import { didYouMean } from '../text/did-you-mean.ts'
import { lookup } from '../text/lookup.ts'
import { REQUEST_MEMBERS } from '../validation/body-schema.ts'
import type { ModelWarning } from './contract.ts'
import { toSnakeName } from './names.ts'

/** Options of vendors' packages → the members that they are here, where these are members of another one. */
const NESTED: Readonly<Record<string, string>> = {
  reasoning_effort: 'reasoning.effort',
  reasoning_summary: 'reasoning.summary',
  thinking: 'reasoning.effort',
  thinking_config: 'reasoning.effort',
  thinking_level: 'reasoning.effort',
  effort: 'reasoning.effort',
  verbosity: 'text.verbosity',
  text_verbosity: 'text.verbosity',
}

/**
 * Warnings for members of a request that are written in the style of the program, or misspelt. Others that the Responses API does
 * not have may be the vendor's own: its answer, or a loss of the request, decides about them.
 */
export const ownMemberWarnings = (own: JsonObject): readonly ModelWarning[] =>
  Object.keys(own).flatMap((name): readonly ModelWarning[] => {
    const hint = hintFor(name)
    if (hint === null) return []
    const message = `providerOptions.${OWN_NAMESPACE}.${name}: fields have the names of the Responses API.${hint}`
    return [{ type: 'other', message }]
  })

/** The right name of a misnamed member, as a sentence that may be empty; null for a name that is right, or unknown. */
function hintFor(name: string): string | null {
  if (REQUEST_MEMBERS.includes(name)) return null
  const snake = toSnakeName(name)
  const nested = lookup(NESTED, snake)
  const hint = nested === undefined ? didYouMean(snake, REQUEST_MEMBERS) : ` Did you mean "${nested}"?`
  return hint === '' && snake === name ? null : hint
}

export const isMisnamed = (name: string): boolean => hintFor(name) !== null
