import { expect, it } from 'vitest'
import { addArguments, endArguments, NO_ARGUMENTS } from '../../src/responses/argument-text.ts'

/** What is written for each piece, and at the end. */
function writtenOf(pieces: readonly string[]): readonly string[] {
  let args = NO_ARGUMENTS
  const outs = pieces.map((piece) => {
    const step = addArguments(args, piece)
    args = step.args
    return step.out
  })
  return [...outs, endArguments(args).out]
}

it.each<[title: string, pieces: string[], outs: string[]]>([
  ['an empty object', ['{ }', '{"a":1}'], ['', '{"a":1}', '']],
  ['an empty object in pieces', ['{', ' ', '}', '{"a":1}'], ['{', ' ', '', '"a":1}', '']],
  ['a stray character', ['{x}', '{"a":1}'], ['{x}', '', '']],
  ['a stray character behind the bracket', ['{', 'x', '}', '{"a":1}'], ['{', 'x', '}', '', '']],
  ['a stray character before the bracket', ['{', ' x}', '{"a":1}'], ['{', ' x}', '', '']],
])('an object follows another one with nothing but %s', (_, pieces, outs) => {
  expect(writtenOf(pieces)).toEqual(outs)
})

it.each<[pieces: string[], outs: string[]]>([
  [
    ['nu', 'll'],
    ['', '', ''],
  ],
  [
    ['null', '{"a":1}'],
    ['', '{"a":1}', ''],
  ],
  [
    ['nullx', '1'],
    ['nullx', '1', ''],
  ],
  [
    ['nul', 'x'],
    ['', 'nulx', ''],
  ],
  [['nul'], ['', 'nul']],
])('the beginning of null is held back only as long as it may be null: %j', (pieces, outs) => {
  expect(writtenOf(pieces)).toEqual(outs)
})

it('an object in a string is read alike, wherever its backslashes are cut', () => {
  const object = JSON.stringify({ a: '"\\' })
  const text = JSON.stringify(object)
  for (let at = 1; at < text.length; at += 1)
    expect(writtenOf([text.slice(0, at), text.slice(at)]).join(''), `cut at ${at}`).toBe(object)
})
