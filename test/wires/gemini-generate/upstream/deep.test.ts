import { describe, expect, it } from 'vitest'
import { DIALECTS } from '../../../../src/dialects/registry.ts'
import { translateWholeBody } from '../../../../src/engine/body-collector.ts'
import { geminiGenerate } from '../../../../src/wires/gemini-generate/index.ts'
import { eventsOf, optionsOf, toBytes, translated } from '../../../engine/run-engine.ts'

/**
 * Law 11: values as deep as JSON can be written, and objects that cannot be converted to text, at every position that a
 * reader examines.
 */

const deep = '['.repeat(20_000) + ']'.repeat(20_000)
const TRAP = '{"toString":1,"valueOf":1,"length":1}'

const candidate = (fields: string): string => `{"candidates":[{${fields}}]}`
const part = (fields: string): string => candidate(`"content":{"parts":[{"text":"A"},{${fields}},{"text":"B"}]}`)
const support = (fields: string): string =>
  candidate(
    `"content":{"parts":[{"text":"A"}]},"groundingMetadata":{"groundingChunks":[{"web":{"uri":"u"}}],${fields}}`,
  )

const PLACES: readonly (readonly [place: string, chunk: (value: string) => string])[] = [
  ['the chunk', (value) => value],
  ['its error', (value) => `{"error":${value}}`],
  ['the message of its error', (value) => `{"error":{"message":${value},"code":${value},"status":${value}}}`],
  ['its candidates', (value) => `{"candidates":${value}}`],
  ['its usage', (value) => `{"usageMetadata":{"promptTokenCount":${value}}}`],
  ['its model', (value) => `{"modelVersion":${value}}`],
  ['the reason of a block', (value) => `{"promptFeedback":{"blockReason":${value}}}`],
  ['the index of a candidate', (value) => candidate(`"index":${value}`)],
  ['the finish', (value) => candidate(`"finishReason":${value},"finishMessage":${value}`)],
  ['the content', (value) => candidate(`"content":${value}`)],
  ['the parts', (value) => candidate(`"content":{"parts":${value}}`)],
  ['a text', (value) => part(`"text":${value},"thought":${value}`)],
  ['a signature', (value) => part(`"text":"x","thoughtSignature":${value}`)],
  ['a call', (value) => part(`"functionCall":${value}`)],
  ['the name of a call', (value) => part(`"functionCall":{"name":${value},"id":${value}}`)],
  ['arguments', (value) => part(`"functionCall":{"name":"f","args":{"a":${value}}}`)],
  ['pieces of arguments', (value) => part(`"functionCall":{"name":"f","partialArgs":${value}}`)],
  [
    'a piece',
    (value) => part(`"functionCall":{"name":"f","partialArgs":[{"jsonPath":${value},"stringValue":${value}}]}`),
  ],
  ['code', (value) => part(`"executableCode":{"code":${value},"id":${value}},"thoughtSignature":"s"`)],
  [
    'the arguments of a tool',
    (value) => part(`"toolCall":{"toolType":${value},"args":{"queries":${value}}},"thoughtSignature":"s"`),
  ],
  ['an image', (value) => part(`"inlineData":{"mimeType":${value},"data":${value}}`)],
  ['supports', (value) => support(`"groundingSupports":${value}`)],
  ['a segment', (value) => support(`"groundingSupports":[{"segment":${value},"groundingChunkIndices":[0]}]`)],
  [
    'an offset',
    (value) =>
      support(`"groundingSupports":[{"segment":{"startIndex":${value},"text":${value}},"groundingChunkIndices":[0]}]`),
  ],
  ['the number of a source', (value) => support(`"groundingSupports":[{"groundingChunkIndices":[${value}]}]`)],
  [
    'a source',
    (value) =>
      candidate(
        `"groundingMetadata":{"groundingChunks":[${value},{"web":{"uri":${value}}}],"groundingSupports":[{"groundingChunkIndices":[0,1]}]}`,
      ),
  ],
  ['recitations', (value) => candidate(`"citationMetadata":{"citations":[${value},{"uri":${value}}]}`)],
  ['pages', (value) => candidate(`"urlContextMetadata":{"urlMetadata":[${value},{"retrievedUrl":${value}}]}`)],
  [
    'log probabilities',
    (value) =>
      candidate(
        `"content":{"parts":[{"text":"A"}]},"logprobsResult":{"chosenCandidates":[{"token":${value}}],"topCandidates":${value}}`,
      ),
  ],
]

describe.each(Object.values(DIALECTS))('a hostile gemini-generate chunk in the dialect $name', (dialect) => {
  const options = optionsOf(dialect, {}, 'x', geminiGenerate)

  it.each(PLACES)('leads to exactly one terminal event: %s', (_, chunkWith) => {
    for (const value of [deep, TRAP, '-1', '1e308', '""', 'null']) {
      const chunk = chunkWith(value)
      for (const stream of [`data: ${chunk}\n\n`, `[${chunk}]`]) {
        const ends = eventsOf(translated(options, [toBytes(stream)])).filter(({ type }) =>
          /^response\.(?:completed|incomplete|failed)$/.test(String(type)),
        )
        expect(ends).toHaveLength(1)
      }
      expect(translateWholeBody(options, chunk).outcome.status).not.toBe('in_progress')
      expect(geminiGenerate.decodeError(500, {}, chunk).message).not.toBe('')
    }
  })
})
