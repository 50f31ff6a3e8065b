import { readFileSync } from 'node:fs'
import { evaluate } from '@humanwhocodes/momoa'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, it } from 'vitest'
import { parseConfigText } from '../../../src/gateway/config/config-text.ts'
import { parseConfig, toFileSchema } from '../../../src/gateway/config/parse-config.ts'

const accepted = (text: string, env: Record<string, string> = {}) => {
  const loaded = parseConfig(text, env)
  if (!loaded.ok) throw new Error(loaded.problems.join('\n'))
  return loaded.config
}
const problemsOf = (text: string, env: Record<string, string> = {}): readonly string[] => {
  const loaded = parseConfig(text, env)
  return loaded.ok ? [] : loaded.problems
}
/** A configuration whose only string is this one. */
const withBody = (text: string): string => JSON.stringify({ vendors: { openai: { body: { text } } } })
const bodyOf = (text: string, env: Record<string, string> = {}): unknown =>
  accepted(withBody(text), env).vendors.openai?.body?.text

describe('the text of a configuration', () => {
  it('may have comments, trailing commas and a byte order mark', () => {
    const text =
      '\ufeff// one\n{ /* two */ "listen": { "port": 1, "host": "//a" }, // three\n "mounts": [{"path":"/a","dialect":"beta"},], }'
    expect(accepted(text)).toMatchObject({ listen: { port: 1, host: '//a' }, mounts: [{ path: '/a' }] })
  })

  it.each([
    ['', 1, 1],
    ['{"listen":', 1, 11],
    ["{'listen':{}}", 1, 2],
    ['{listen:{}}', 1, 2],
    ['{"listen":{},,}', 1, 14],
    ['{\n  "keep_alive_seconds": NaN }', 2, 25],
    ['{} {}', 1, 4],
    ['{ /* "my-secret-key"', 1, 21],
    ['{\n"listen":{"port":\n', 3, 1],
  ])('%j is refused with line and column', (text, line, column) => {
    expect(problemsOf(text)).toEqual([`the file is not JSON (line ${line}, column ${column})`])
  })

  it('is refused with the place of each mistake, which is that of its option', () => {
    const text = [
      '{ // the port is wrong',
      '  "listen": { "port": "x",',
      '    "hst": "a" },',
      '  "mounts": [',
      '    { "path": "/a" } ],',
      '  "vendors": { "groq": {} },',
      '  "models": [{ "match": "*", "to": ["nobody/*"] }],',
      '}',
    ].join('\n')
    expect(problemsOf(text)).toEqual([
      'listen.port (line 2, column 15): expected a number, got a string',
      'listen (line 3, column 5): the option "hst" does not exist. Did you mean "host"?',
      'mounts[0].dialect (line 5, column 5): expected one of beta, openai, got nothing',
      'models[0].to[0] (line 7, column 37): expected a vendor’s name on this server.',
    ])
    expect(problemsOf('{\n "models": [\n  { "match": "*", "to": ["nobody/*"] }] }')).toEqual([
      expect.stringMatching(/^models\[0\]\.to\[0\] \(line 3, column 26\): /),
    ])
  })
})

describe('a variable in a string of a configuration', () => {
  it.each([
    ['${A}', 'one'],
    ['<${A}-${B_2}>', '<one-two>'],
    ['${NONE:-three}', 'three'],
    ['${EMPTY:-three}', 'three'],
    ['${EMPTY:-}|', '|'],
    ['${A:-three}', 'one'],
    ['${NONE:-$A :- $$}', '$A :- $$'],
    ['$${A}', '${A}'],
    ['$$${A}', '$${A}'],
    ['$A $$ $ {A} %{A}', '$A $$ $ {A} %{A}'],
    ['${LINE}', 'last'],
    ['${REFERENCE}', '${A} $${A}'],
  ])('%j is read as %j', (text, expected) => {
    const env = { A: 'one', B_2: 'two', EMPTY: '', LINE: 'last\n', REFERENCE: '${A} $${A}' }
    expect(bodyOf(text, env)).toBe(expected)
  })

  it.each(['${}', '${A', '${2}', '${A-b}', '${A:b}', '${A:-${B}}', '${A B}', 'x ${'])(
    'is refused with its place in %j',
    (text) => {
      expect(
        problemsOf(`{"vendors":{"openai":{"base_url":\n  ${JSON.stringify(text)}}}}`, { A: 'a', B: 'b' }),
      ).toContain(
        'vendors.openai.base_url (line 2, column 3): expected ${NAME} or ${NAME:-default}. Write $${ for the characters ${',
      )
    },
  )

  it('is refused with its place if it is not set or empty, and each one is named', () => {
    expect(
      problemsOf('{"listen":{\n "host":"${HOST}-${REGION}"},\n "default_vendor":"${NONE}"}', { HOST: ' ' }),
    ).toEqual(
      [
        ['listen.host (line 2, column 9)', 'HOST'],
        ['listen.host (line 2, column 9)', 'REGION'],
        ['default_vendor (line 3, column 19)', 'NONE'],
      ].map(
        ([place, name]) =>
          `${place}: the environment variable ${name} is not set. Set it, or write \${${name}:-default}`,
      ),
    )
  })

  it('is a number or a boolean where the option is one, and a string everywhere else', () => {
    const env = { PORT: '8080', YES: 'true', SHARE: '0.5', DIGITS: '12' }
    const text = `{
      "listen": { "port": "\${PORT}", "host": "\${DIGITS}" },
      "coalesce": "\${YES}", "page": "\${YES}", "retry": { "budget_share": "\${SHARE}" },
      "vendors": { "openai": { "key": "\${DIGITS}", "body": { "seed": "\${DIGITS}" } } } }`
    expect(accepted(text, env)).toMatchObject({
      listen: { port: 8080, host: '12' },
      coalesce: true,
      page: true,
      retry: { budget_share: 0.5 },
      vendors: { openai: { key: '12', body: { seed: '12' } } },
    })
    expect(problemsOf('{"listen":{"port":"${PORT}0"}}', env)).toEqual([
      'listen.port (line 1, column 12): expected a number, got a string',
    ])
    expect(problemsOf('{"listen":{"port":"${PORT}"}}', { PORT: '99999' })).toEqual([
      'listen.port (line 1, column 12): expected at most 65535, got 99999',
    ])
  })

  it('is no part of a name of an option or a vendor', () => {
    expect(problemsOf('{"vendors":{"${A}":{}}}', { A: 'groq' })).toEqual([
      expect.stringMatching(/^vendors\["\$\{A\}"\] \(line 1, column 13\): expected a name of lower-case letters/),
    ])
  })
})

describe('the schema for editors', () => {
  const validate = new Ajv2020({ strict: false, validateFormats: false }).compile(toFileSchema())

  it('accepts a text with a variable in place of every number, boolean and word', () => {
    for (const text of ['${A}', '${A:-8787}', 'x-${A}'])
      expect([
        validate({ listen: { port: text }, coalesce: text, page: text, mounts: [{ path: text, dialect: text }] }),
        validate.errors,
      ]).toEqual([true, null])
  })

  it.each([
    { listen: { port: '8787' } },
    { listen: { port: '$A' } },
    { listen: { port: '${A' } },
    { listen: { port: 70_000 } },
    { mounts: [{ path: '/a', dialect: 'gamma' }] },
    { destinations: [{ id: '2f9d0a34-5f0e-4a0b-9a52-2f0b6f1f6a01', type: '${A}', config: {} }] },
  ])('refuses %j', (config) => {
    expect(validate(config)).toBe(false)
  })

  it('and the server accept the example', () => {
    const text = readFileSync(new URL('../../../examples/millrace.jsonc', import.meta.url), 'utf8')
    const config = accepted(text)
    expect(config).toMatchObject({ listen: { port: 8787 }, vendors: { vllm: {}, ours: {} }, models: [{}] })
    expect(text).toContain('"$schema": "../schema/config.schema.json"')
    const written = parseConfigText(text)
    expect([written.ok && validate(evaluate(written.body)), validate.errors]).toEqual([true, null])
  })
})
