import type { CallOptions } from '../api/translator-types.ts'
import type { JsonObject } from '../protocol/json.ts'
import type { Loss } from '../protocol/loss.ts'
import { OWN_NAMESPACE } from '../targets/front-end.ts'
import { isObject } from '../text/json.ts'
import { lookup } from '../text/lookup.ts'
import type { ModelCallOptions, ModelWarning } from './contract.ts'
import { asJson } from './files.ts'
import { PromptItems } from './input-items.ts'
import { isMisnamed, ownMemberWarnings } from './own-members.ts'
import { toTools, type VendorToolNames } from './tools.ts'

/** A call of the AI SDK as a request of the Responses API. */
export interface ModelBody {
  readonly body: JsonObject
  /** Settings that the Responses API has no field for. */
  readonly settings: Pick<CallOptions, 'stop' | 'seed' | 'top_k'>
  readonly warnings: readonly ModelWarning[]
  readonly names: VendorToolNames
}

interface BodyOptions {
  /** The names under which a reference to a stored file may be given. */
  readonly providers: readonly string[]
  /** The protocol of the upstream. */
  readonly wire: string
}

export function toModelBody(options: ModelCallOptions, { providers, wire }: BodyOptions): ModelBody {
  const { prompt, providerOptions = {}, topK, seed, stopSequences } = options
  const { tools, choice, names, warnings: unsent } = toTools(options.tools ?? [], options.toolChoice, wire)
  const custom = tools.flatMap(({ type, name }) => (type === 'custom' ? [String(name)] : []))
  const { items, warnings } = new PromptItems(prompt, { providers, wire, customTools: new Set(custom), names })
  const given = providerOptions[OWN_NAMESPACE]
  // SentMembers of the request that the interface has no option for, and those that the program decides itself.
  const own = isObject(given) ? (asJson(given) as JsonObject) : {}
  const body: JsonObject = {
    input: items,
    store: false,
    include: ['reasoning.encrypted_content'],
    ...scalars(options),
    ...(tools.length === 0 ? {} : { tools, ...choice }),
    ...toTextFormat(options.responseFormat),
    ...toReasoning(options.reasoning),
    ...own,
  }
  const settings = {
    ...(topK === undefined ? {} : { top_k: topK }),
    ...(seed === undefined ? {} : { seed }),
    ...(stopSequences === undefined || stopSequences.length === 0 ? {} : { stop: stopSequences }),
  }
  const raw: readonly ModelWarning[] =
    options.includeRawChunks === true ? [{ type: 'unsupported', feature: 'includeRawChunks' }] : []
  return { body, settings, warnings: [...warnings, ...unsent, ...ownMemberWarnings(own), ...raw], names }
}

/** Options of the interface → members of the request. */
const SCALARS = {
  maxOutputTokens: 'max_output_tokens',
  temperature: 'temperature',
  topP: 'top_p',
  presencePenalty: 'presence_penalty',
  frequencyPenalty: 'frequency_penalty',
} as const satisfies Partial<Record<keyof ModelCallOptions, string>>

const scalars = (options: ModelCallOptions): JsonObject =>
  Object.fromEntries(
    (Object.keys(SCALARS) as (keyof typeof SCALARS)[]).flatMap((name) => {
      const value = options[name]
      return value === undefined ? [] : [[SCALARS[name], value]]
    }),
  )

/** SentMembers of a request, and settings beside it → the options of the interface that they are. */
const OPTIONS: Readonly<Record<string, string>> = {
  ...Object.fromEntries(Object.entries(SCALARS).map(([option, member]) => [member, option])),
  top_k: 'topK',
  stop: 'stopSequences',
  tool_choice: 'toolChoice',
  'text.format': 'responseFormat',
}

/** The losses of a request as warnings. What the program has not requested is none. */
export function toWarnings(losses: readonly Loss[], { reasoning, providerOptions }: ModelCallOptions): ModelWarning[] {
  const own = providerOptions?.[OWN_NAMESPACE] ?? {}
  const isAdded = reasoning !== undefined && own.reasoning === undefined
  // A misnamed member has a warning about its name.
  const isOmitted = ({ path }: Loss): boolean =>
    path === ADDED ? isAdded : Object.hasOwn(own, path) && isMisnamed(path)
  return losses
    .filter((loss) => !isOmitted(loss))
    .map(({ path, action, why }) => ({
      type: action === 'dropped' ? 'unsupported' : 'compatibility',
      feature: lookup(OPTIONS, path) ?? path,
      details: why,
    }))
}

/** Requested with each effort, so that programs see the reasoning of vendors that only summarize it. */
const ADDED = 'reasoning.summary'

// ---------------------------------------------------------------- the form of the answer

function toTextFormat(format: ModelCallOptions['responseFormat']): JsonObject {
  if (format?.type !== 'json') return {}
  const { schema, name = 'response', description } = format
  const words = description === undefined ? {} : { description }
  return {
    text: {
      format:
        schema === undefined
          ? { type: 'json_object' }
          : { type: 'json_schema', name, ...words, schema: asJson(schema) },
    },
  }
}

const toReasoning = (effort: string | undefined): JsonObject =>
  effort === undefined || effort === 'provider-default'
    ? {}
    : { reasoning: { effort, ...(effort === 'none' ? {} : { summary: 'auto' }) } }
