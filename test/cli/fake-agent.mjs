#!/usr/bin/env node
// Stands for the coding agent under whose name it is in PATH: reads the same variables and arguments, sends the same
// requests, and writes what it received to the file FAKE_REPORT. FAKE_END: its exit code, or the signal that ends it;
// `signals`: it writes each signal to the file and ends with code 3 at SIGTERM.
import { appendFileSync, writeFileSync } from 'node:fs'
import { basename } from 'node:path'

const { env, argv } = process
const name = basename(argv[1])
const args = argv.slice(2)
const user = [{ role: 'user', content: 'hi' }]

const post = (url, headers, body) => ({
  url,
  init: { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(body) },
})
const bearer = (key) => ({ authorization: `Bearer ${key}` })
const messages = (base, headers, model) =>
  post(`${base}/messages`, headers, { model, max_tokens: 32, top_k: 3, messages: user })
const responses = (base, key, model) => post(`${base}/responses`, bearer(key), { model, input: 'hi', user: 'u' })
const chat = (base, key, model) => post(`${base}/chat/completions`, bearer(key), { model, messages: user })
const gemini = (base, key, model) =>
  post(
    `${base}/models/${model}:generateContent`,
    { 'x-goog-api-key': key },
    { contents: [{ parts: [{ text: 'hi' }] }] },
  )

const REQUESTS = {
  claude: () => [
    messages(
      `${env.ANTHROPIC_BASE_URL}/v1`,
      bearer(env.ANTHROPIC_AUTH_TOKEN),
      env.ANTHROPIC_MODEL ?? 'claude-sonnet-4-5',
    ),
  ],
  codex: () => {
    const settings = args.filter((_, at) => args[at - 1] === '-c').join('\n')
    const find = (pattern) => pattern.exec(settings)?.[1]
    const model = find(/^model="(.*)"$/m) ?? 'gpt-6.1-sol'
    return [responses(find(/base_url="([^"]*)"/), env[find(/env_key="(\w+)"/)], model)]
  },
  gemini: () => {
    const model = env.GEMINI_MODEL ?? 'gemini-2.5-pro'
    return env.GEMINI_API_KEY === undefined
      ? [gemini(`${env.GOOGLE_VERTEX_BASE_URL}/v1beta1/publishers/google`, env.GOOGLE_API_KEY, model)]
      : [gemini(`${env.GOOGLE_GEMINI_BASE_URL}/v1beta`, env.GEMINI_API_KEY, model)]
  },
  opencode: () => {
    const { provider, model, enabled_providers: enabled } = JSON.parse(env.OPENCODE_CONFIG_CONTENT)
    return enabled.map((id) => {
      const { npm, options } = provider[id]
      const key = env[/^\{env:(\w+)\}$/.exec(options.apiKey)[1]]
      const own = model?.slice(id.length + 1)
      if ((npm ?? id).endsWith('anthropic'))
        return messages(options.baseURL, { 'x-api-key': key }, own ?? 'claude-haiku-4-5')
      if ((npm ?? id).endsWith('openai')) return responses(options.baseURL, key, own ?? 'gpt-5')
      if ((npm ?? id).endsWith('google')) return gemini(options.baseURL, key, own ?? 'gemini-2.5-pro')
      return chat(options.baseURL, key, own)
    })
  },
}

const read = async (response) => ({ url: response.url, status: response.status, text: await response.text() })
const answers = []
for (const { url, init } of REQUESTS[name]()) {
  answers.push(await read(await fetch(url, init)))
  // Another user of the machine has no key.
  answers.push(await read(await fetch(url, { ...init, headers: { 'content-type': 'application/json' } })))
}
const metrics = await fetch(new URL('/metrics', answers[0].url))
writeFileSync(env.FAKE_REPORT, `${JSON.stringify({ name, args, env, answers, metrics: metrics.status })}\n`)

if (env.FAKE_END === 'signals') {
  const started = setInterval(() => {}, 1000)
  for (const signal of ['SIGINT', 'SIGHUP', 'SIGUSR1', 'SIGUSR2', 'SIGTERM']) {
    process.on(signal, () => {
      appendFileSync(env.FAKE_REPORT, `${signal}\n`)
      if (signal === 'SIGTERM') {
        clearInterval(started)
        process.exitCode = 3
      }
    })
  }
  appendFileSync(env.FAKE_REPORT, 'ready\n')
} else if (/^SIG/.test(env.FAKE_END ?? '')) {
  process.kill(process.pid, env.FAKE_END)
} else {
  process.exitCode = Number(env.FAKE_END ?? 0)
}
