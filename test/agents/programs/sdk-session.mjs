// One prompt of a session of an agent's library: `claude` or `codex`, the file of the library, the program that it
// starts, the prompt, and `first` if the prompt begins the session. Prints each event as a line of JSON.
import { readFileSync, writeFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'

const [name, file, program, prompt, at, options = '{}'] = process.argv.slice(2)
const library = await import(pathToFileURL(file).href)
const isFirst = at === 'first'

async function* claude() {
  const session = library.query({
    prompt,
    options: {
      ...JSON.parse(options),
      cwd: process.cwd(),
      pathToClaudeCodeExecutable: program,
      continue: !isFirst,
      systemPrompt: { type: 'preset', preset: 'claude_code' },
    },
  })
  yield* session
}

const THREAD = `${process.env.HOME}/thread`

async function* codex() {
  const own = { skipGitRepoCheck: true, workingDirectory: process.cwd() }
  const codex = new library.Codex({ codexPathOverride: program, apiKey: process.env.CODEX_API_KEY })
  const thread = isFirst ? codex.startThread(own) : codex.resumeThread(readFileSync(THREAD, 'utf8'), own)
  const { events } = await thread.runStreamed(prompt)
  yield* events
  writeFileSync(THREAD, thread.id)
}

for await (const event of { claude, codex }[name]()) process.stdout.write(`${JSON.stringify(event)}\n`)
