import type { LanguageModelV3, ProviderV3 } from '@ai-sdk/provider'
import type { LanguageModelV4, ProviderV4 } from 'ai-sdk-provider-4'
import { describe, expect, it } from 'vitest'
import { createMillrace } from '../../src/ai-sdk.ts'

const UPSTREAM = { vendor: 'groq', apiKey: 'k' } as const

// The compiler checks the assignments.
const provider4 = createMillrace(UPSTREAM)
const provider3 = createMillrace({ ...UPSTREAM, specification: 'v3' })
const asProvider4: ProviderV4 = provider4
const asProvider3: ProviderV3 = provider3
const model4: LanguageModelV4 = provider4('m')
const model3: LanguageModelV3 = provider3('m')

describe('a provider', () => {
  it('has models of the version that it is made for', () => {
    expect([model4.specificationVersion, model3.specificationVersion]).toEqual(['v4', 'v3'])
    expect([model4.provider, model4.modelId]).toEqual(['millrace.groq', 'm'])
    expect(asProvider4.languageModel('m').specificationVersion).toBe('v4')
    expect(asProvider3.languageModel('m').specificationVersion).toBe('v3')
  })

  it('has no other models', () => {
    expect(() => asProvider4.embeddingModel('m')).toThrow(/No such embedding model: m/)
    expect(() => asProvider3.imageModel('m')).toThrow(/No such image model: m/)
  })

  it.each([
    [{ vendor: 'grok' }, /vendor: expected one of/],
    [{ vendor: 'groq', timeout: 3 }, /timeout/],
    [{ vendor: 'groq', specification: 'v5' }, /specification: expected one of v4, v3/],
    [{ vendor: 'azure' }, /^baseUrl: required/],
    [{ vendor: 'groq', api_key: 'k' }, /^api_key: no such option\. Did you mean "apiKey"\?/],
    [{ vendor: 'groq', model: 'm' }, /^model: no such option/],
    [undefined, /^options: expected an object, got nothing/],
    [{}, /^vendor: expected one of .*, got nothing$/],
  ])('is refused for the options %j', (options, message) => {
    expect(() => createMillrace(options as never)).toThrow(message)
  })
})
