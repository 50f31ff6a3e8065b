import { execFile } from 'node:child_process'
import { copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'

/** The real program in a shell, as a person uses it. `npx vitest run --project slow test/cli/transcript.test.ts -u` */

// The scenes run side by side in one folder: none may write the file that `serve` reads by itself.
const SCENES: readonly (readonly [title: string, text: string, lines: readonly string[]])[] = [
  [
    'Help',
    'Help is an answer: it is on the standard output, with exit code 0.',
    ['millrace', 'millrace check --help', 'millrace --version'],
  ],
  [
    'A typo',
    'Commands, options and values have suggestions, and a missing option its values.',
    [
      'millrace transalte hello.sse',
      'millrace --versoin',
      'millrace translate hello.sse',
      'millrace translate --form openai-chat hello.sse',
      'millrace check --dialect opnai hello.sse',
      'millrace explain --vendor gorq --client openai-chat request.json',
    ],
  ],
  [
    'A wrong wire',
    'A name that no wire has, a wire that the bytes do not have, bytes that show none, and the recording of an upstream where a Responses stream is expected.',
    [
      'millrace translate --from openai-chta --to openai hello.sse',
      'millrace translate --from gemini-generate --to openai hello.sse > /dev/null',
      "echo 'data: {}' | millrace translate --to openai",
      'millrace check hello.sse',
    ],
  ],
  [
    'Standard input',
    'The wire is detected from the bytes.',
    [
      'millrace translate --to anthropic-messages < hello.sse | head -n 2',
      'millrace translate --to openai < hello.sse | millrace check',
      'millrace translate --to openai --collect - < hello.sse | grep \'"text"\'',
    ],
  ],
  [
    'Three hundred files',
    'Equal messages are counted. A terminal shows the progress in one line, which is removed at the end.',
    [
      'millrace translate --to ollama-chat --out translated recordings',
      'ls translated | wc -l',
      'millrace translate --to ollama-chat --out translated --strict recordings/001.sse recordings/002.sse',
    ],
  ],
  [
    'A damaged stream',
    'It is translated like any other. With --strict, the exit code is 1.',
    [
      'millrace translate --to openai cut-off.sse | grep -o \'"type":"response.failed"\'',
      'millrace translate --to openai --strict cut-off.sse > /dev/null',
      'millrace trace cut-off.sse | tail -n 8',
    ],
  ],
  [
    'A missing key',
    'The message names the variable, or what to add.',
    [
      'millrace serve --host 0.0.0.0',
      'millrace launch codex --model groq/llama-3.3-70b-versatile',
      'GROQ_API_KEY=gsk-1 millrace launch claude',
      'GROQ_API_KEY=gsk-1 millrace vendors --set | head -n 4',
      'printf %s a-key-of-a-client | millrace key -',
    ],
  ],
  [
    'The configuration of another gateway',
    'What has no equivalent is named with its path; nothing is left out silently.',
    [
      'cat config.yaml',
      'millrace import litellm config.yaml --to gateway.jsonc',
      'GROQ_API_KEY=gsk-1 MISTRAL_API_KEY=k millrace serve --check --config gateway.jsonc',
      'millrace import litellm config.yaml --strict > /dev/null',
    ],
  ],
]

const LITELLM = `model_list:
  - model_name: fast
    litellm_params: { model: groq/llama-3.3-70b, api_key: os.environ/GROQ_API_KEY, rpm: 60 }
  - model_name: careful
    litellm_params: { model: mistral/mistral-large, api_key: os.environ/MISTRAL_API_KEY }
router_settings: { fallbacks: [{ fast: [careful] }], num_retries: 2 }
litellm_settings: { cache: true }
`

const fixture = (name: string): string => fileURLToPath(new URL(`../../fixtures/${name}`, import.meta.url))

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'millrace-'))
  const recordings = join(folder, 'recordings')
  await mkdir(recordings)
  await copyFile(fixture('openai-chat/hello.stream.sse'), join(folder, 'hello.sse'))
  await copyFile(fixture('openai-chat/cut-off.stream.sse'), join(folder, 'cut-off.sse'))
  await writeFile(join(folder, 'config.yaml'), LITELLM)
  await writeFile(join(folder, 'request.json'), '{"model":"m","messages":[{"role":"user","content":"Hi"}]}')
  const sources = ['openai-chat/hello', 'openai-responses/hello', 'anthropic-messages/hello', 'gemini-generate/hello']
  for (let i = 1; i < 300; i++) {
    const source = i % 100 === 0 ? 'openai-chat/cut-off' : sources[i % sources.length]
    await copyFile(fixture(`${source}.stream.sse`), join(recordings, `${String(i).padStart(3, '0')}.sse`))
  }
  await writeFile(join(recordings, '300.sse'), '<html><body>502 Bad Gateway</body></html>\n')
})
afterAll(() => rm(folder, { recursive: true }))

/** Runs a line, and returns it with its output and an exit code other than 0. */
async function played(line: string): Promise<string> {
  const env = { PATH: `${dirname(process.execPath)}:/usr/bin:/bin`, HOME: folder, LANG: 'C.UTF-8' }
  const script = `set -o pipefail; millrace() { '${process.execPath}' '${inject('program')}' "$@"; }; exec 2>&1; ${line}`
  const { code, output } = await new Promise<{ readonly code: number; readonly output: string }>((resolve) => {
    const child = execFile('bash', ['-c', script], { cwd: folder, env }, (error, stdout) =>
      resolve({ code: error === null ? 0 : Number(error.code), output: stdout }),
    )
    // An open input would keep a command waiting that reads it.
    child.stdin?.end()
  })
  const shown = output.replaceAll(folder, '.').replace(/ +$/gm, '')
  return `$ ${line}\n${shown.endsWith('\n') || shown === '' ? shown : `${shown}\n`}${code === 0 ? '' : `[exit code ${code}]\n`}`
}

it('the transcript in the documentation is what the program prints', async () => {
  const parts = await Promise.all(
    SCENES.map(async ([title, text, lines]) => {
      const outputs: string[] = []
      for (const line of lines) outputs.push(await played(line))
      return `## ${title}\n\n${text}\n\n\`\`\`\n${outputs.join('\n')}\`\`\`\n`
    }),
  )
  const page = `# Transcript of the command line\n\nSee what the command line prints, for right and wrong calls, before you install it. A test writes this page: it runs the program in a shell and compares. \`hello.sse\` and \`cut-off.sse\` are recorded streams of [chat completions](wires/openai-chat.md); \`recordings\` has 300 files of several wires, of which two are cut off and one is a page of a proxy. More: [command line](command-line.md).\n\n${parts.join('\n')}`
  await expect(page).toMatchFileSnapshot(
    fileURLToPath(new URL('../../docs/command-line-transcript.md', import.meta.url)),
  )
})
