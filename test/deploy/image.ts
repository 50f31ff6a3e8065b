/**
 * Executes the Dockerfile without Docker: each stage is a folder, each instruction COPY copies files of the context or of
 * another stage, and each RUN is run by the shell. Then it starts the server of the last stage, checks it with the
 * command of HEALTHCHECK, and stops it with STOPSIGNAL. `npm run smoke:image`; images of the stages are not tested.
 */
import assert from 'node:assert/strict'
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { type Copy, DockerfileParser, type Instruction } from 'dockerfile-ast'
import { DEPLOY, REPOSITORY, readDeployed, VARIABLES } from './files.ts'

const CONTEXT = fileURLToPath(REPOSITORY)
const START_POLLS = 150

interface Stage {
  /** The folder that is the root of its file system. */
  readonly root: string
  workdir: string
  readonly env: Record<string, string>
  readonly last: Map<string, Instruction>
}

const room = mkdtempSync(path.join(tmpdir(), 'millrace-image-'))
const stages = new Map<string, Stage>()

const wordsOf = (instruction: Instruction): readonly string[] =>
  instruction.getArguments().map((word) => word.getValue())

/** The words of an instruction in JSON form. */
const jsonOf = (instruction: Instruction | undefined): readonly string[] =>
  JSON.parse(/\[[\s\S]*\]/.exec(instruction?.getTextContent() ?? '')?.[0] ?? '[]')

/** Whether the context contains a file: the patterns after `*` in `.dockerignore`. */
const patterns = readFileSync(path.join(CONTEXT, '.dockerignore'), 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('!'))
  .map((line) => new RegExp(`^${line.slice(1).replaceAll('.', '\\.').replaceAll('*', '[^/]*')}(?:/|$)`))

function copy(stage: Stage, instruction: Copy): void {
  const words = wordsOf(instruction)
  const target = words.at(-1) as string
  const from = instruction.getFromFlag()?.getValue()
  const origin = from === undefined || from === null ? CONTEXT : (stages.get(from) as Stage).root
  const isTaken = (file: string): boolean => {
    const name = path.relative(CONTEXT, file)
    return origin !== CONTEXT || statSync(file).isDirectory() || patterns.some((pattern) => pattern.test(name))
  }
  for (const source of words.slice(0, -1)) {
    const to = path.join(stage.root, stage.workdir, target, target.endsWith('/') ? path.basename(source) : '')
    cpSync(path.join(origin, source), to, { recursive: true, filter: isTaken })
  }
}

/** npm finds the same Node for its scripts as this program. */
const PATH = `${path.dirname(process.execPath)}${path.delimiter}${process.env.PATH}`

function run(stage: Stage, text: string): void {
  const command = text.replace(/^RUN\s+/, '').replace(/\\\n/g, ' ')
  process.stdout.write(`RUN ${command}\n`)
  const env = { PATH, HOME: process.env.HOME, npm_config_update_notifier: 'false', npm_config_loglevel: 'error' }
  execFileSync('sh', ['-c', command], { cwd: path.join(stage.root, stage.workdir), env, stdio: 'inherit' })
}

/** Returns the last stage. */
function build(text: string): Stage {
  let stage: Stage = { root: room, workdir: '/', env: {}, last: new Map() }
  const file = DockerfileParser.parse(text)
  const names = file.getFROMs().map((from) => from.getBuildStage())
  for (const instruction of file.getInstructions()) {
    const [first = ''] = wordsOf(instruction)
    const keyword = instruction.getKeyword()
    stage.last.set(keyword, instruction)
    if (keyword === 'FROM') {
      const name = names[stages.size] as string
      stage = { root: path.join(room, name), workdir: '/', env: {}, last: new Map() }
      stages.set(name, stage)
    } else if (keyword === 'WORKDIR') {
      stage.workdir = first
      mkdirSync(path.join(stage.root, first), { recursive: true })
    } else if (keyword === 'COPY') copy(stage, instruction as Copy)
    else if (keyword === 'RUN') run(stage, instruction.getTextContent())
    else if (keyword === 'ENV')
      for (const word of wordsOf(instruction)) stage.env[word.split('=')[0] as string] = word.split('=')[1] as string
  }
  return stage
}

const megabytes = (folder: string): string => {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  const bytes = files.reduce((sum, entry) => sum + statSync(path.join(entry.parentPath, entry.name)).size, 0)
  return (bytes / 1e6).toFixed(1)
}

/** A port that was free a moment ago. */
async function freePort(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { readonly port: number }
  await once(server.close(), 'close')
  return String(port)
}

async function check({ root, workdir, env: given, last }: Stage): Promise<void> {
  const cwd = path.join(root, workdir)
  const env = {
    ...given,
    ...VARIABLES,
    // Nothing listens there: the server starts all the same, and logs that its store is down.
    REDIS_URL: 'redis://127.0.0.1:1',
    PORT: await freePort(),
    MILLRACE_CONFIG: fileURLToPath(new URL('config.jsonc', DEPLOY)),
  }
  const [, ...words] = jsonOf(last.get('ENTRYPOINT'))
  const [, , ...health] = jsonOf(last.get('HEALTHCHECK'))
  assert.equal(spawnSync(process.execPath, health, { env }).status, 1, 'a server that does not listen is healthy')
  const isHealthy = (): boolean => spawnSync(process.execPath, health, { env }).status === 0
  const server: ChildProcess = spawn(process.execPath, [...words, ...jsonOf(last.get('CMD'))], { cwd, env })
  const log: string[] = []
  for (const stream of [server.stdout, server.stderr]) stream?.on('data', (bytes) => log.push(String(bytes)))
  try {
    let polls = 0
    while (!isHealthy()) {
      assert.ok(server.exitCode === null && ++polls < START_POLLS, `the server is not healthy:\n${log.join('')}`)
      await sleep(100)
    }
    const begun = performance.now()
    server.kill(wordsOf(last.get('STOPSIGNAL') as Instruction)[0] as NodeJS.Signals)
    const [code] = await once(server, 'exit')
    assert.equal(code, 0, log.join(''))
    assert.match(log.join(''), /"event":"stopped"/)
    assert.match(log.join(''), /"event":"rate_limit_store","state":"down"/, 'the client of Redis is missing')
    process.stdout.write(`stopped after ${((performance.now() - begun) / 1000).toFixed(1)} s\n`)
  } finally {
    server.kill('SIGKILL')
  }
}

try {
  const stage = build(readDeployed('Dockerfile'))
  await check(stage)
  process.stdout.write(`image: ${megabytes(stage.root)} MB besides the image of Node\n`)
} finally {
  rmSync(room, { recursive: true })
}
