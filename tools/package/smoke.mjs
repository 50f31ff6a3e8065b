/**
 * Tests the published package: builds, packs and installs it into an empty project, and uses it there with the Node
 * that runs this file: `npm run smoke`. PACKED=FILE tests an existing package; `--cold` installs it with an empty cache
 * of npm, so that its time contains all downloads.
 */
import assert from 'node:assert/strict'
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'

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
  if (process.env.PACKED) return path.resolve(process.env.PACKED)
  command('npm', ['run', '-s', 'prepack'], ROOT)
  command('npm', ['pack', '--ignore-scripts', '--pack-destination', room], ROOT)
  const [file] = readdirSync(room).filter((name) => name.endsWith('.tgz'))
  return path.join(room, file)
}

/** Installs the package into the project. Returns the sentence with its time, its packages and their size. */
function install(packed, project) {
  const cache = process.argv.includes('--cold') ? ['--cache', path.join(room, 'cache')] : ['--prefer-offline']
  const start = performance.now()
  command('npm', ['install', ...cache, '--no-fund', packed], project)
  const seconds = (performance.now() - start) / 1000
  const { packages } = JSON.parse(readFileSync(path.join(project, 'package-lock.json'), 'utf8'))
  const names = Object.keys(packages).filter((name) => name !== '')
  const megabytes = (folder) => (bytesBelow(folder) / 1e6).toFixed(1)
  const modules = path.join(project, 'node_modules')
  return (
    `install: ${seconds.toFixed(1)} s, ${names.length} packages, ${megabytes(modules)} MB, ` +
    `millrace ${megabytes(path.join(modules, 'millrace'))} MB (${(statSync(packed).size / 1e6).toFixed(1)} MB packed)`
  )
}

const filesBelow = (folder) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath ?? entry.path, entry.name))

const bytesBelow = (folder) => filesBelow(folder).reduce((bytes, file) => bytes + statSync(file).size, 0)

/** The events of an AWS event stream as lines of JSON are for readers of the repository. */
const RECORDED = /^(?:[a-z0-9-]+)\.(?:stream\.(?:sse|ndjson|bin|json)|body\.json|settings\.json)$/
const isRecording = (wire, name) => RECORDED.test(name) && !(wire === 'bedrock-converse' && name.endsWith('.ndjson'))

/** Checks that the package has every recording of the checkout, and no file beside them that no program reads. */
function checkFixtures(installed) {
  const [own, packed] = [path.join(ROOT, 'fixtures'), path.join(installed, 'fixtures')]
  const wires = readdirSync(packed)
  const known = wires.flatMap((wire) =>
    readdirSync(path.join(own, wire))
      .filter((name) => isRecording(wire, name))
      .map((name) => path.join(packed, wire, name)),
  )
  assert.ok(known.length > 0 && wires.includes('bedrock-converse'))
  assert.deepEqual(filesBelow(packed).sort(), known.sort())
}

const MOST_BYTES = 5_200_000
const MOST_FILES = 900

/** Checks the size of the package, which has no maps, and that the trace of an error names the function all the same. */
function checkFiles(installed, project) {
  const [files, bytes] = [filesBelow(installed).length, bytesBelow(installed)]
  const fits = files <= MOST_FILES && bytes <= MOST_BYTES
  assert.deepEqual({ files, bytes, fits }, { files, bytes, fits: true })
  const program =
    "import('millrace').then(({ translateStream }) => translateStream(null, {})).catch((e) => console.log(e.stack))"
  assert.match(command(process.execPath, ['-e', program], project), /at toWriteOptions .*millrace\/dist\/.*\.js:\d+/)
  return `${files} files, ${(bytes / 1e6).toFixed(2)} MB`
}

/** A chunk may keep a few statements that a module of its own would leave behind. */
const MOST_GROWTH = 1.05

const toExport = (wire) => wire.replace(/-(\w)/g, (_, letter) => letter.toUpperCase())

/** Checks that a bundle of one wire is as small from the package as from the sources, although chunks have many modules. */
async function checkBundles(project) {
  const sizes = JSON.parse(readFileSync(path.join(ROOT, 'test/bundle-sizes.json'), 'utf8'))
  for (const [name, size] of Object.entries(sizes)) {
    const [, wire] = /^(\S+) to openai$/.exec(name) ?? []
    if (wire === undefined) continue
    const { outputFiles } = await build({
      stdin: {
        contents: `export { createStreamTranslator, dialectTarget } from 'millrace/core'
          export { ${toExport(wire)}Stream } from 'millrace/wires/${wire}'
          export { openai } from 'millrace/dialects/openai'`,
        resolveDir: project,
      },
      bundle: true,
      minify: true,
      format: 'esm',
      platform: 'neutral',
      write: false,
    })
    const packed = gzipSync(outputFiles[0].contents).length / 1024
    assert.ok(
      packed <= size * MOST_GROWTH,
      `${name}: ${packed.toFixed(1)} KiB from the package, ${size} from the sources`,
    )
  }
}

/** Returns every import path in the `exports` of package.json. */
function importPaths(installed) {
  const { exports } = JSON.parse(readFileSync(path.join(installed, 'package.json'), 'utf8'))
  return Object.keys(exports)
    .filter((name) => !name.endsWith('.json'))
    .map((name) => `millrace${name.slice(1)}`)
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
import { createStreamTranslator, translateStream, validateResponsesStream } from 'millrace'
${paths.map((from) => `await import('${from}')`).join('\n')}
const words = ['{"role":"assistant","content":"Hel"}', '{"content":"lo"}']
const chunk = (delta, finish) => 'data: {"id":"1","model":"m","choices":[{"index":0,"delta":' + delta +
  ',"finish_reason":' + finish + '}]}\\n\\n'
const stream = new TextEncoder().encode(
  words.map((delta) => chunk(delta, 'null')).join('') + chunk('{}', '"stop"') + 'data: [DONE]\\n\\n')
for (const to of ['beta', 'openai']) {
  const options = { from: 'openai-chat', to, id: 'resp_1', createdAt: 0 }
  const one = createStreamTranslator(options)
  const text = Buffer.concat([one.push(stream), one.end()]).toString()
  assert.match(text, /"status":"completed"/)
  assert.match(text, /Hello/)
  assert.deepEqual(validateResponsesStream(text, { dialect: to }), [])
  assert.equal(await new Response(translateStream(new Response(stream), options)).text(), text)
  writeFileSync(to + '.sse', text)
}
assert.equal((await import('millrace/schema/config.schema.json', { with: { type: 'json' } })).default.type, 'object')
readFileSync(new URL('../package.json', import.meta.resolve('millrace')))
const { createMillrace } = await import('millrace/ai-sdk')
const answered = async () => new Response(stream, { headers: { 'content-type': 'text/event-stream' } })
const model = createMillrace({ vendor: 'groq', apiKey: 'k', fetch: answered })('m')
const { content } = await model.doGenerate({ prompt: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }] })
assert.equal(content[0].text, 'Hello')
const { startServer } = await import('millrace/server')
const running = await startServer({}, { env: { PORT: '0' } })
assert.equal((await fetch(running.url + '/healthz')).status, 200)
await running.close()
`

/** CommonJS programs load the package with `require` where Node has it for ES modules, and with `import` everywhere. */
const commonJs = (paths) => `
const assert = require('node:assert/strict')
const paths = ${JSON.stringify(paths)}
if (Number(process.versions.node.split('.')[0]) >= 22) for (const from of paths) assert.ok(require(from), from)
Promise.all(paths.map((from) => import(from))).then(([{ createTranslator }]) => {
  assert.equal(typeof createTranslator, 'function')
})
`

const LINKED = ['@types', 'ai', 'express', 'hono', 'undici-types']

/** The oldest compiler that docs/library.md promises. */
function oldestTypeScript(project) {
  const [, least] =
    /TypeScript (\d+\.\d+) or newer/.exec(readFileSync(path.join(ROOT, 'docs/library.md'), 'utf8')) ?? []
  assert.ok(least !== undefined, 'docs/library.md names the oldest TypeScript')
  const folder = path.join(project, 'oldest')
  command('npm', ['install', '--prefix', folder, '--no-fund', `typescript@${least}`], project)
  return path.join(folder, 'node_modules/typescript/bin/tsc')
}

/** Compiles the TypeScript examples against the installed types: strictly in both resolutions, and as `tsc --init` does. */
function compileExamples(project) {
  const [newest, oldest] = [path.join(ROOT, 'node_modules/typescript/bin/tsc'), oldestTypeScript(project)]
  const folder = path.join(project, 'examples')
  mkdirSync(folder)
  // The runtime of CopilotKit has 353 packages, so that its types are not here.
  const examples = readdirSync(path.join(ROOT, 'examples')).filter(
    (name) => name.endsWith('.ts') && name !== 'copilotkit-route.ts',
  )
  for (const name of examples) copyFileSync(path.join(ROOT, 'examples', name), path.join(folder, name))
  for (const name of LINKED) {
    const link = path.join(project, 'node_modules', name)
    if (!existsSync(link)) symlinkSync(path.join(ROOT, 'node_modules', name), link)
  }
  // The types of the package `ai` do not compile with the strictest settings, so that they are not checked themselves.
  const usesAi = (name) => /from 'ai'/.test(readFileSync(path.join(folder, name), 'utf8'))
  const [withAi, others] = [examples.filter(usesAi), examples.filter((name) => !usesAi(name))]
  for (const [compiler, module, moduleResolution, isStrictest, names] of [
    [newest, 'nodenext', 'nodenext', true, others],
    [newest, 'nodenext', 'nodenext', false, others],
    [newest, 'esnext', 'bundler', true, others],
    [newest, 'esnext', 'bundler', true, withAi],
    [oldest, 'nodenext', 'nodenext', true, others],
  ]) {
    const compilerOptions = {
      module,
      moduleResolution,
      target: 'es2022',
      lib: ['es2023', 'dom', 'dom.iterable', 'dom.asynciterable'],
      types: ['node'],
      strict: true,
      exactOptionalPropertyTypes: isStrictest,
      noUncheckedIndexedAccess: isStrictest,
      verbatimModuleSyntax: true,
      noEmit: true,
      skipLibCheck: names === withAi,
    }
    const config = `tsconfig.${moduleResolution}.json`
    const files = names.map((name) => `examples/${name}`)
    writeFileSync(path.join(project, config), JSON.stringify({ compilerOptions, files }))
    command(process.execPath, [compiler, '-p', config], project)
  }
  return examples.length
}

/** Runs a linter of packages, which ends with an error if it finds anything. */
const lintPackage = (name, ...args) => command(process.execPath, [path.join(ROOT, 'node_modules', name), ...args], ROOT)

function lint(packed) {
  lintPackage('publint/src/cli.js', 'run', packed, '--strict')
  // The package has ES modules only, which Node 22 and later also load with `require`.
  lintPackage('@arethetypeswrong/cli/dist/index.js', packed, '--profile', 'esm-only')
  const { status, stderr } = spawnSync('npm', ['publish', packed, '--dry-run', '--loglevel', 'warn'], {
    cwd: room,
    env: { ...env, npm_config_loglevel: 'warn' },
    encoding: 'utf8',
  })
  assert.equal(status, 0, stderr)
  // npm corrects a faulty package.json, and only warns.
  assert.doesNotMatch(stderr, /correct|invalid/i)
}

/** The page comes from the files of the package: the project has no bundler. */
async function checkPage(url) {
  const html = await (await fetch(`${url}/`)).text()
  const files = [...html.matchAll(/(?:src|href)="(\/page\/[^"]+)"/g)].map(([, file]) => file)
  assert.ok(files.includes('/page/main.js'), html)
  for (const file of files) {
    const answer = await fetch(url + file)
    assert.equal(answer.status, 200, file)
    assert.ok((await answer.text()).length > 0, file)
  }
}

/** Runs the server from the command line for one request and the page. */
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
    await checkPage(url)
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
  const measured = install(packed, project)
  const installed = path.join(project, 'node_modules/millrace')
  checkSpecifiers(installed)
  checkFixtures(installed)
  const size = checkFiles(installed, project)
  await checkBundles(project)
  const paths = importPaths(installed)
  writeFileSync(path.join(project, 'embed.mjs'), embed(paths))
  command(process.execPath, ['embed.mjs'], project)
  writeFileSync(path.join(project, 'embed.cjs'), commonJs(paths))
  command(process.execPath, ['embed.cjs'], project)
  const examples = compileExamples(project)
  lint(packed)
  await serveOnce(project)
  const { version } = JSON.parse(readFileSync(path.join(installed, 'package.json'), 'utf8'))
  assert.equal(command('npx', ['--no-install', 'millrace', '--version'], project), `${version}\n`)
  const checked = command('npx', ['--no-install', 'millrace', 'check', 'beta.sse', 'openai.sse', 'served.sse'], project)
  assert.equal(checked.match(/: clean, \d+ events/g)?.length, 3, checked)
  process.stdout.write(
    `smoke: Node ${process.version}, ${paths.length} import paths, ${examples} examples, both dialects, check, serve, page, ${size}, recordings: fine\n${measured}\n`,
  )
} finally {
  rmSync(room, { recursive: true, force: true })
}
