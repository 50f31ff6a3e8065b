import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Quirks } from '../../../src/wires/quirks.ts'
import {
  heldText,
  initialThinkTags,
  splitThinkTags,
  type TextFragment,
  type ThinkTagState,
  withReasoningField,
} from '../../../src/wires/shared/upstream/think-tags.ts'
import { check } from '../../property.ts'

type Tags = Quirks['thinkTags']

/** Splits these pieces of an answer into `[reasoning, text]`. */
function splitPieces(thinkTags: Tags, texts: readonly string[]): readonly [string, string] {
  const pieces: TextFragment[] = []
  let state = initialThinkTags(thinkTags === undefined ? {} : { thinkTags })
  for (const piece of texts) {
    const split = splitThinkTags(state, piece)
    state = split.state
    pieces.push(...split.pieces)
  }
  pieces.push(...heldText(state))
  const of = (kind: TextFragment['kind']) => pieces.flatMap((it) => (it.kind === kind ? [it.text] : [])).join('')
  return [of('reasoning'), of('text')]
}

describe('reasoning between tags in the text', () => {
  const cases: [string, Tags, string, [string, string]][] = [
    ['tags without the quirk thinkTags', undefined, '<think>a</think>b', ['', '<think>a</think>b']],
    ['tags', true, '<think>a</think>b', ['a', 'b']],
    ['white space around the tags', true, ' \n<think>\na\n</think>\n\nb\n', ['\na\n', 'b\n']],
    ['no tag', true, 'a < b', ['', 'a < b']],
    ['a closing tag only, unexpected', true, 'a</think>b', ['', 'a</think>b']],
    ['a thought that never ends', true, '<think>a</thi', ['a</thi', '']],
    ['the beginning of a tag, and no more', true, '<thi', ['', '<thi']],
    ['nothing after the thought', true, '<think>a</think>\n', ['a', '']],
    ['a second thought', true, '<think>a</think>b<think>c</think>', ['a', 'b<think>c</think>']],
    ['a closing tag only', 'unopened', 'a\n</think>\n\nb', ['a\n', 'b']],
    ['an opening tag all the same', 'unopened', '<think>a</think>b', ['a', 'b']],
    ['cut before the closing tag', 'unopened', 'Hmm, a <', ['Hmm, a <', '']],
    ['white space only', 'unopened', '\n', ['\n', '']],
  ]
  it.each(cases)('is separated from the text: %s', (_, tags, text, expected) => {
    expect(splitPieces(tags, [text])).toEqual(expected)
    expect(splitPieces(tags, [...text])).toEqual(expected)
  })

  it('is found wherever the answer is cut', () => {
    const piece = fc.constantFrom('<', '<thi', 'nk>', '<think>', '</think>', '</', 'think>', ' ', '\n', 'a', 'é', '')
    const answers = fc.array(piece, { maxLength: 12 })
    check(
      fc.property(answers, fc.constantFrom<Tags>(true, 'unopened', undefined), (pieces, tags) => {
        expect(splitPieces(tags, pieces)).toEqual(splitPieces(tags, [pieces.join('')]))
      }),
      2000,
    )
  })

  it('stays text without a tag if the vendor sent reasoning in a field of its own', () => {
    expect(
      splitThinkTags(withReasoningField(initialThinkTags({ thinkTags: 'unopened' })) as ThinkTagState, 'a').pieces,
    ).toEqual([{ kind: 'text', text: 'a' }])
  })

  it('releases the text that was held back when reasoning arrives in a field of its own', () => {
    const { state } = splitThinkTags(initialThinkTags({ thinkTags: 'unopened' }), '\n <th')
    expect(heldText(withReasoningField(state) as ThinkTagState)).toEqual([{ kind: 'text', text: '\n <th' }])
  })
})
