import { type NamedTranslator, openNamedTranslator, type TranslatorOptions } from '../api/named-translator.ts'
import { checkedUpstream, UPSTREAM_OPTIONS, type UpstreamOptions } from '../api/named-upstream.ts'
import type { TranslatorSettings } from '../api/translator-types.ts'
import type { ResponseEvent, ResponseObject } from '../protocol/response-event.ts'
import { checkOptions, checkText } from '../validation/arguments.ts'
import { checkedValues } from '../validation/option-values.ts'
import type { MillraceModel, Specification } from './contract.ts'
import { createModel, type Send } from './model.ts'

/** The upstream of a provider, and settings of its translator. */
export interface MillraceOptions<Version extends Specification = Specification>
  extends Omit<UpstreamOptions, 'model'>,
    Omit<TranslatorSettings, 'onOutcome'> {
  /** `v4` (default) for the AI SDK 7, `v3` for version 6. */
  readonly specification?: Version
  /** Sends the requests. Default: that of the runtime. */
  readonly fetch?: typeof globalThis.fetch
  readonly onOutcome?: TranslatorOptions['onOutcome']
}

/** A provider of language models; embeddings and images are those of other packages. */
export interface MillraceProvider<Version extends Specification = 'v4'> {
  (modelId: string): MillraceModel<Version>
  readonly specificationVersion: Version
  languageModel(modelId: string): MillraceModel<Version>
  embeddingModel(modelId: string): never
  imageModel(modelId: string): never
}

const TRANSLATOR = ['sign', 'limits', 'machines', 'requests', 'rules', 'onOutcome'] as const

/** The model is the name of each call. */
const OPTIONS = ['specification', 'fetch', ...UPSTREAM_OPTIONS.filter((name) => name !== 'model'), ...TRANSLATOR]

/**
 * A provider of the AI SDK for every vendor and wire: `createMillrace({ vendor: 'anthropic' })('claude-sonnet-4-5')`. The
 * key is `apiKey`, else the vendor's variable of the environment, where the runtime has one.
 *
 * @throws TypeError for an unknown vendor or option, and for a vendor whose base URL is not given.
 */
export function createMillrace(options: MillraceOptions<'v4'>): MillraceProvider<'v4'>
export function createMillrace(
  options: MillraceOptions<'v3'> & { readonly specification: 'v3' },
): MillraceProvider<'v3'>
export function createMillrace(options: MillraceOptions): MillraceProvider<Specification> {
  checkOptions(options, OPTIONS)
  const { specification: version = 'v4', fetch: given, ...rest } = checkedValues(options)
  if (version !== 'v4' && version !== 'v3')
    throw new TypeError(`specification: expected one of v4, v3, got ${JSON.stringify(version)}`)
  const settings = Object.fromEntries(
    TRANSLATOR.flatMap((name) => (rest[name] === undefined ? [] : [[name, rest[name]]])),
  )
  const upstream: UpstreamOptions = Object.fromEntries(Object.entries(rest).filter(([name]) => !isSetting(name)))
  const { vendor = '', keyVariable, wire } = checkedUpstream(upstream)
  const apiKey = rest.apiKey ?? (keyVariable === undefined ? undefined : environment()[keyVariable])
  const translator: NamedTranslator<ResponseEvent, ResponseObject> = openNamedTranslator(
    {
      ...settings,
      client: 'openai-responses',
      // Requests have members that clients of the Responses API do not send.
      upstream: { passthrough: false, ...upstream, apiKey },
    },
    '',
  )
  const provider = `millrace.${vendor}`
  const send: Send = async (url, init) => (given ?? globalThis.fetch)(url, init)
  const languageModel = (modelId: string): MillraceModel<Specification> => {
    checkText(modelId, 'modelId')
    return createModel({ version, provider, modelId, vendor, wire: wire.name, translator, send })
  }
  return Object.assign(languageModel, {
    specificationVersion: version,
    languageModel,
    embeddingModel: (modelId: string) => noSuchModel('embedding', modelId),
    imageModel: (modelId: string) => noSuchModel('image', modelId),
  })
}

const isSetting = (name: string): boolean => TRANSLATOR.some((setting) => setting === name)

const environment = (): Readonly<Record<string, string | undefined>> =>
  (globalThis as { readonly process?: { readonly env?: Readonly<Record<string, string>> } }).process?.env ?? {}

function noSuchModel(kind: string, modelId: string): never {
  const error = new Error(`No such ${kind} model: ${modelId}. This provider has language models only.`)
  throw Object.assign(error, { name: 'AI_NoSuchModelError', modelId, modelType: `${kind}Model` })
}
