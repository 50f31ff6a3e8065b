import { describe, expect, it } from 'vitest'
import { explainRequest } from '../../src/api/explain-request.ts'
import type { TargetName } from '../../src/api/names.ts'
import { toBase64 } from '../../src/text/base64.ts'
import { valueAt } from '../../src/text/json-path.ts'

/**
 * Requests that clients send on as other vendors accept them: public reports of gateways and libraries, each with what
 * the upstream must receive instead, by its path; undefined for none. `lost`: paths of losses.
 */
type Row = readonly [
  title: string,
  client: TargetName,
  upstream: readonly [vendor: string, model: string],
  body: object,
  sent: Readonly<Record<string, unknown>>,
  lost?: readonly string[],
]

function check([, client, [vendor, model], body, sent, lost = []]: Row): void {
  const found = explainRequest({ model: 'm', ...body }, { client, vendor, model })
  if (!found.ok) throw new Error(found.error.message)
  for (const [path, value] of Object.entries(sent))
    expect({ [path]: valueAt(found.upstream, path) }).toEqual({ [path]: value })
  const paths = found.losses.map(({ path }) => path)
  for (const path of lost) expect(paths).toContain(path)
}

const named = (rows: readonly Row[]) => rows.map((row) => [row[0], row] as const)

const [CHAT, GEMINI] = ['openai-chat', 'gemini-generate'] as const
const BEDROCK = ['bedrock', 'us.anthropic.claude-sonnet-4-6'] as const
const GOOGLE = ['google', 'gemini-3.8-flash'] as const
const VERTEX = ['vertex', 'gemini-3.8-flash'] as const
const OLLAMA = ['ollama', 'qwen3:14b'] as const

const TEXT = { type: 'text', text: 'Hi' }
const user = (...content: readonly object[]) => ({ role: 'user', content })
const chat = (...messages: readonly object[]) => ({ messages })

// ---------------------------------------------------------------- files

const file = (filename: string, type: string, data: string) =>
  user(TEXT, { type: 'file', file: { filename, file_data: `data:${type};base64,${data}` } })
const JSON_FILE = file('a.json', 'application/json', toBase64('{"a":1}'))
const CODE = file('a.py', 'text/x-python', toBase64('print(1)'))
const DOCX = file('a.docx', 'application/vnd.openxmlformats-officedocument.wordprocessingml.document', 'UEsDBA==')
const NO_FILE = '[file: it could not be passed on]'

const FILES: readonly Row[] = [
  [
    'JSON to Bedrock, as plain text (strands-agents/sdk-python#3019)',
    CHAT,
    BEDROCK,
    chat(JSON_FILE),
    {
      'messages.0.content.1.document.format': 'txt',
      'messages.0.content.1.document.source.bytes': toBase64('{"a":1}'),
    },
    ['messages[0]'],
  ],
  [
    'JSON to the Gemini API, as plain text (langgenius/dify#23307)',
    CHAT,
    GOOGLE,
    chat(JSON_FILE),
    { 'contents.0.parts.1.inlineData.mimeType': 'text/plain' },
    ['messages[0]'],
  ],
  ['code to the Gemini API', CHAT, GOOGLE, chat(CODE), { 'contents.0.parts.1.inlineData.mimeType': 'text/x-python' }],
  [
    'code to Vertex, as plain text (epam/ai-dial-adapter-vertexai#148)',
    CHAT,
    VERTEX,
    chat(CODE),
    { 'contents.0.parts.1.inlineData.mimeType': 'text/plain' },
  ],
  [
    'a file without a type, which its name has',
    CHAT,
    GOOGLE,
    chat(file('a.md', 'application/octet-stream', toBase64('# a'))),
    { 'contents.0.parts.1.inlineData.mimeType': 'text/markdown' },
  ],
  [
    'a document of Word to Google, as a note (QuantumNous/new-api#1139)',
    CHAT,
    GOOGLE,
    chat(DOCX),
    { 'contents.0.parts.1.text': NO_FILE },
    ['messages[0]'],
  ],
  ['a document of Word to Bedrock', CHAT, BEDROCK, chat(DOCX), { 'messages.0.content.1.document.format': 'docx' }],
  ['JSON to Ollama, as its text', CHAT, OLLAMA, chat(JSON_FILE), { 'messages.0.content': 'Hi\na.json\n\n{"a":1}' }],
  [
    'JSON to a vendor without files, as its text',
    CHAT,
    ['zai', 'glm-5.2'],
    chat(JSON_FILE),
    { 'messages.0.content': 'Hi\na.json\n\n{"a":1}' },
    ['messages[0]'],
  ],
  [
    'a file that is no text to a vendor without files, as a note',
    CHAT,
    OLLAMA,
    chat(DOCX),
    { 'messages.0.content': `Hi\n${NO_FILE}` },
  ],
  [
    'a file of Google’s own client, which stays',
    GEMINI,
    GOOGLE,
    { contents: [{ role: 'user', parts: [{ inlineData: { mimeType: 'application/json', data: 'e30=' } }] }] },
    { 'contents.0.parts.0.inlineData.mimeType': 'application/json' },
  ],
]

describe('a file of text', () => {
  it.each(named(FILES))('may be %s', (_, row) => check(row))
})
