/**
 * Tests the published package: builds, packs and installs it into an empty project, and uses it there with the Node
 * that runs this file. `npm run smoke`; `--packed FILE` tests an existing package.
 */
import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const room = mkdtempSync(path.join(tmpdir(), 'millrace-smoke-'))

/** npm and npx are scripts: this PATH runs them under the current Node and not under the first one in PATH. */
const PATH = `${path.dirname(process.execPath)}${path.delimiter}${process.env.PATH}`
const env = {
  ...process.env,
  PATH,
  npm_config_update_notifier: 'false',
  npm_config_audit: 'false',
  npm_config_loglevel: 'error',
}

const command = (name, args, cwd) => execFileSync(name, args, { cwd, env, encoding: 'utf8' })

function pack() {
  const at = process.argv.indexOf('--packed')
  if (at > 0) return path.resolve(process.argv[at + 1])
  command('npm', ['run', '-s', 'build'], ROOT)
  command('npm', ['pack', '--ignore-scripts', '--pack-destination', room], ROOT)
  const [file] = readdirSync(room).filter((name) => name.endsWith('.tgz'))
  return path.join(room, file)
}

/** Returns every import path in the `exports` of package.json, with each file for a pattern. */
function importPaths(installed) {
  const { exports } = JSON.parse(readFileSync(path.join(installed, 'package.json'), 'utf8'))
  return Object.entries(exports).flatMap(([name, door]) => {
    if (typeof door === 'string') return []
    const from = `millrace${name.slice(1)}`
    if (!from.endsWith('/*')) return [from]
    const folder = path.join(installed, path.dirname(door.default))
    const files = readdirSync(folder).filter((file) => file.endsWith('.js'))
    assert.ok(files.length > 0, `${name} is empty`)
    return files.map((file) => from.replace('*', file.slice(0, -3)))
  })
}

/** Checks that no file of the package imports a source file, because the package does not contain any. */
function checkSpecifiers(installed) {
  const files = readdirSync(path.join(installed, 'dist'), { recursive: true })
  for (const file of files.filter((name) => /\.(js|d\.ts)$/.test(name))) {
    const text = readFileSync(path.join(installed, 'dist', file), 'utf8')
    assert.doesNotMatch(text, /(?:from |import |import\()(['"])\.[^'"]*\.ts\1/, `dist/${file} imports a .ts file`)
  }
}

const embed = (paths) => `
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import * as millrace from 'millrace'
${paths.map((from) => `await import('${from}')`).join('\n')}
const { translate, translateIterable, WIRES, DIALECTS, EMPTY_ECHO, checkStream } = millrace
const words = ['{"role":"assistant","content":"Hel"}', '{"content":"lo"}']
const chunk = (delta, finish) => 'data: {"id":"1","model":"m","choices":[{"index":0,"delta":' + delta +
  ',"finish_reason":' + finish + '}]}\\n\\n'
const stream = new TextEncoder().encode(
  words.map((delta) => chunk(delta, 'null')).join('') + chunk('{}', '"stop"') + 'data: [DONE]\\n\\n')
const head = { id: 'resp_1', created_at: 0, model: 'm', echo: EMPTY_ECHO }
for (const dialect of [DIALECTS.beta, DIALECTS.openai]) {
  const options = { wire: WIRES['openai-chat'], dialect, head }
  const one = translate(options)
  const text = Buffer.concat([one.receive(stream), one.end()]).toString()
  assert.match(text, /"status":"completed"/)
  assert.match(text, /Hello/)
  assert.deepEqual(checkStream(text, dialect), [])
  const said = []
  for await (const bytes of translateIterable((async function* () { yield stream })(), options)) said.push(bytes)
  assert.equal(Buffer.concat(said).toString(), text)
  writeFileSync(dialect.name + '.sse', text)
}
assert.equal((await import('millrace/schema/config.schema.json', { with: { type: 'json' } })).default.type, 'object')
readFileSync(new URL('../package.json', import.meta.resolve('millrace')))
const { start } = await import('millrace/host')
const running = await start({}, { env: { PORT: '0' } })
assert.equal((await fetch(running.url + '/healthz')).status, 200)
await running.close()
`

/** Runs the server from the command line for one request. */
async function serveOnce(project) {
  // Starts the program itself and not npx, so that the signal reaches it.
  const bin = path.join(project, 'node_modules/.bin/millrace')
  const child = spawn(bin, ['serve'], {
    cwd: project,
    env: { ...env, PORT: '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = new Promise((resolve) => child.once('exit', (code, signal) => resolve({ code, signal })))
  try {
    const { url, key } = await bannerOf(child)
    const answer = await fetch(`${url}/api/v1/responses`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'replay/hello', input: 'Hello!', stream: true }),
    })
    assert.equal(answer.status, 200)
    const text = await answer.text()
    assert.match(text, /"type":"response\.completed"/)
    assert.ok(text.trimEnd().endsWith('data: [DONE]'), 'the stream has its last line')
    writeFileSync(path.join(project, 'served.sse'), text)
  } finally {
    child.kill('SIGTERM')
  }
  assert.deepEqual(await ended, { code: 0, signal: null })
}

function bannerOf(child) {
  return new Promise((resolve, reject) => {
    let said = ''
    child.stdout.on('data', (bytes) => {
      said += bytes
      const [, url, key] = /millrace listens on (\S+)\s[\s\S]*Bearer ([\w-]+)/.exec(said) ?? []
      if (key !== undefined) resolve({ url, key })
    })
    child.once('error', reject)
    child.once('exit', (code) => reject(new Error(`serve ended with ${code}: ${said}`)))
  })
}

try {
  const packed = pack()
  const project = mkdtempSync(path.join(room, 'project-'))
  writeFileSync(path.join(project, 'package.json'), '{"name":"stranger","private":true,"type":"module"}\n')
  command('npm', ['install', '--prefer-offline', '--no-fund', packed], project)
  const installed = path.join(project, 'node_modules/millrace')
  checkSpecifiers(installed)
  const paths = importPaths(installed)
  writeFileSync(path.join(project, 'embed.mjs'), embed(paths))
  command(process.execPath, ['embed.mjs'], project)
  await serveOnce(project)
  const { version } = JSON.parse(readFileSync(path.join(installed, 'package.json'), 'utf8'))
  assert.equal(command('npx', ['--no-install', 'millrace', '--version'], project), `${version}\n`)
  const checked = command('npx', ['--no-install', 'millrace', 'check', 'beta.sse', 'openai.sse', 'served.sse'], project)
  assert.equal(checked.match(/: clean, \d+ events/g)?.length, 3, checked)
  process.stdout.write(
    `smoke: Node ${process.version}, ${paths.length} import paths, both dialects, check, serve: fine\n`,
  )
} finally {
  rmSync(room, { recursive: true, force: true })
}
