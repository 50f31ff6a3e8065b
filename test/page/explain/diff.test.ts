import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { OriginPair } from '../../../src/engine/origins.ts'
import { explainRequest, type TargetName } from '../../../src/index.ts'
import type { BodyLine, DiffRow } from '../../../src/page/views/explain/diff/body-line.ts'
import { diffBodies } from '../../../src/page/views/explain/diff/diff-rows.ts'
import { EXAMPLES } from '../../../src/page/views/explain/examples.ts'
import { valueAt } from '../../../src/text/json-path.ts'
import { jsonBodies } from '../../arbitraries/json-bodies.ts'
import { check } from '../../property.ts'

const linesOf = (rows: readonly DiffRow[], side: 'left' | 'right'): readonly BodyLine[] =>
  rows.flatMap((row) => row[side] ?? [])

/** The JSON text of lines. A comma follows each line but the last of its list or object, and the first lines of those. */
const textOf = (lines: readonly BodyLine[]): string =>
  lines
    .map(({ name, text, depth, starts }, at) => {
      const next = lines[at + 1]
      const isOpen = starts && (text === '{' || text === '[')
      const comma = next === undefined || !next.starts || isOpen ? '' : ','
      return `${'  '.repeat(depth)}${name === null ? '' : `${JSON.stringify(name)}: `}${text}${comma}`
    })
    .join('\n')

/** The lines of the client's body by the path of their value. */
const byPath = (lines: readonly BodyLine[]): ReadonlyMap<string, BodyLine> =>
  new Map(lines.filter(({ starts }) => starts).map((line) => [line.path, line]))

/** Applies a diff: lines that it calls unchanged or moved are taken from the client's body, wherever they are there. */
function applyDiff(rows: readonly DiffRow[]): string {
  const client = byPath(linesOf(rows, 'left'))
  const lines = rows.flatMap(({ left, right }) => {
    if (right === null) return []
    if (right.kind === 'same' && left !== null) return [{ ...right, name: left.name, text: left.text }]
    if (right.kind !== 'moved' || !right.starts) return [right]
    const from = client.get(right.other ?? '')
    if (from === undefined) throw new Error(`no line at ${right.other}`)
    return [{ ...right, text: from.text }]
  })
  return textOf(lines)
}

describe('the diff of two bodies', () => {
  it('gives the upstream body if it is applied to the body of the client', () => {
    check(
      fc.property(jsonBodies, jsonBodies, (client, upstream) => {
        const rows = diffBodies(client, upstream, [])
        expect(applyDiff(rows)).toBe(JSON.stringify(upstream, null, 2))
        expect(JSON.parse(textOf(linesOf(rows, 'left')))).toEqual(client)
      }),
      1500,
    )
  })

  it('has counterparts in both directions, each once', () => {
    check(
      fc.property(jsonBodies, jsonBodies, (client, upstream) => {
        const rows = diffBodies(client, upstream, [])
        const [left, right] = [byPath(linesOf(rows, 'left')), byPath(linesOf(rows, 'right'))]
        for (const [path, line] of left) {
          if (line.other !== null && line.kind !== 'part') expect(right.get(line.other)?.other).toBe(path)
          if (line.kind === 'moved') expect(right.get(line.other ?? '')?.kind).toBe('moved')
        }
        for (const row of rows) {
          if (row.left?.kind === 'same') expect(row.right?.kind).toBe('same')
          if (row.left?.kind !== 'same') continue
          expect([row.left.name, row.left.text]).toEqual([row.right?.name, row.right?.text])
        }
      }),
      1000,
    )
  })

  it('has only unchanged lines for equal bodies', () => {
    check(
      fc.property(jsonBodies, (body) => {
        const kinds = diffBodies(body, structuredClone(body), []).flatMap(({ left, right }) => [
          left?.kind,
          right?.kind,
        ])
        expect(new Set(kinds)).toEqual(new Set(['same']))
      }),
      1000,
    )
  })
})

describe('the diff of the examples', () => {
  it.each(EXAMPLES)('gives the body of $name for each wire', ({ client, body }) => {
    for (const vendor of ['openai', 'openai-chat', 'anthropic', 'google', 'bedrock', 'cohere', 'ollama']) {
      const call = explainRequest(body, { client: client as TargetName, vendor, model: 'anthropic.claude-3' })
      if (!call.ok) throw new Error(call.error.message)
      const rows = diffBodies(body, call.upstream, call.origins)
      expect(applyDiff(rows)).toBe(JSON.stringify(call.upstream, null, 2))
      // A removed line whose value is in the upstream's body would be wrong.
      const removed = rows.flatMap(({ left }) => (left?.kind === 'removed' && left.text.length > 24 ? [left.text] : []))
      for (const text of removed) expect(JSON.stringify(call.upstream)).not.toContain(text)
    }
  })
})

const show = (rows: readonly DiffRow[]): readonly string[] =>
  rows.flatMap(({ left, right }) => {
    const cell = (line: BodyLine | null): string =>
      line === null ? '' : `${line.kind} ${line.name ?? ''} ${line.text}${line.other === null ? '' : ` @${line.other}`}`
    return left?.kind === 'same' && right?.kind === 'same' ? [] : [`${cell(left)} | ${cell(right)}`]
  })

describe('the diff of a translated request', () => {
  it('follows the conversation and the settings of Messages into those of chat completions', () => {
    const client = {
      model: 'acme/m',
      max_tokens: 1000,
      system: 'You are a careful assistant.',
      messages: [
        { role: 'user', content: [{ type: 'text', text: 'What is the weather in Rome?' }] },
        { role: 'assistant', content: 'It is sunny in Rome.' },
      ],
    }
    const upstream = {
      model: 'm',
      messages: [
        { role: 'system', content: 'You are a careful assistant.' },
        { role: 'user', content: 'What is the weather in Rome?' },
        { role: 'assistant', content: 'It is sunny in Rome.' },
      ],
      max_completion_tokens: 1000,
    }
    const rows = diffBodies(client, upstream, [
      ['messages[0].content', 'system'],
      ['messages[1]', 'messages[0]'],
      ['messages[2]', 'messages[1]'],
      ['max_completion_tokens', 'max_tokens'],
    ])
    expect(show(rows)).toMatchInlineSnapshot(`
      [
        "changed model "acme/m" | changed model "m"",
        " | added  {",
        " | added role "system"",
        " | moved content "You are a careful assistant." @system",
        " | added  }",
        "removed content [ | ",
        "removed  { | ",
        "removed type "text" | ",
        "moved text "What is the weather in Rome?" @messages[1].content | moved content "What is the weather in Rome?" @messages[0].content[0].text",
        "removed  } | ",
        "removed  ] | ",
        "changed max_tokens 1000 | changed max_completion_tokens 1000",
        "moved system "You are a careful assistant." @messages[0].content | ",
      ]
    `)
    expect(valueAt(client, 'messages[0].content[0].text')).toBe(upstream.messages[1]?.content)
  })

  it('follows the conversation into other names, and says so of a moved message', () => {
    const client = {
      messages: [
        { role: 'user', content: 'The first question of the user' },
        { role: 'assistant', content: 'The first answer to the user' },
      ],
      tools: [{ name: 'weather', parameters: { type: 'object', properties: { city: { type: 'string' } } } }],
      temperature: 0.5,
    }
    const upstream = {
      contents: [
        { role: 'user', parts: [{ text: 'The first question of the user' }] },
        { role: 'model', parts: [{ text: 'The first answer to the user' }] },
      ],
      tools: [
        {
          functionDeclarations: [
            { name: 'weather', parameters: { type: 'object', properties: { city: { type: 'string' } } } },
          ],
        },
      ],
      generationConfig: { temperature: 0.5 },
    }
    const origins: readonly OriginPair[] = [
      ['contents[0].parts[0]', 'messages[0].content'],
      ['contents[1].parts[0]', 'messages[1].content'],
      ['tools[0].functionDeclarations[0]', 'tools[0]'],
      ['generationConfig.temperature', 'temperature'],
    ]
    expect(show(diffBodies(client, upstream, origins))).toMatchInlineSnapshot(`
      [
        "changed messages [ | changed contents [",
        " | added parts [",
        " | added  {",
        "moved content "The first question of the user" @contents[0].parts[0].text | moved text "The first question of the user" @messages[0].content",
        " | added  }",
        " | added  ]",
        "changed role "assistant" | changed role "model"",
        " | added parts [",
        " | added  {",
        "moved content "The first answer to the user" @contents[1].parts[0].text | moved text "The first answer to the user" @messages[1].content",
        " | added  }",
        " | added  ]",
        " | added  {",
        " | added functionDeclarations [",
        "moved  { @tools[0].functionDeclarations[0] | moved  { @tools[0]",
        "moved name "weather" @tools[0].functionDeclarations[0].name | moved name "weather" @tools[0].name",
        "moved parameters { @tools[0].functionDeclarations[0].parameters | moved parameters { @tools[0].parameters",
        "moved type "object" @tools[0].functionDeclarations[0].parameters.type | moved type "object" @tools[0].parameters.type",
        "moved properties { @tools[0].functionDeclarations[0].parameters.properties | moved properties { @tools[0].parameters.properties",
        "moved city { @tools[0].functionDeclarations[0].parameters.properties.city | moved city { @tools[0].parameters.properties.city",
        "moved type "string" @tools[0].functionDeclarations[0].parameters.properties.city.type | moved type "string" @tools[0].parameters.properties.city.type",
        "moved  } @tools[0].functionDeclarations[0].parameters.properties.city | moved  } @tools[0].parameters.properties.city",
        "moved  } @tools[0].functionDeclarations[0].parameters.properties | moved  } @tools[0].parameters.properties",
        "moved  } @tools[0].functionDeclarations[0].parameters | moved  } @tools[0].parameters",
        "moved  } @tools[0].functionDeclarations[0] | moved  } @tools[0]",
        " | added  ]",
        " | added  }",
        " | added generationConfig {",
        "moved temperature 0.5 @generationConfig.temperature | moved temperature 0.5 @temperature",
        " | added  }",
      ]
    `)
  })
})

it('masks the password of an address on both sides', () => {
  const body = { tools: [{ type: 'mcp', server_url: 'https://ada:hunter2!x@mcp.example/sse' }] }
  const rows = diffBodies(body, { ...body, more: 'https://bob:secret-word@a.example' }, [])
  const text = JSON.stringify(rows)
  expect([text.includes('hunter2'), text.includes('secret-word')]).toEqual([false, false])
  expect(text.split('ada:********@mcp.example')).toHaveLength(3)
})
