/**
 * Executes the Dockerfile without Docker: each stage is a folder, each instruction COPY copies files of the context or of
 * another stage, and each RUN is run by the shell of this machine. The Node of this process takes the place of the
 * images of the stages.
 */
import { spawnSync } from 'node:child_process'
import { chmodSync, cpSync, mkdirSync, readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Copy, DockerfileParser, type Instruction } from 'dockerfile-ast'
import type { BuiltImage } from './built-image.ts'
import { REPOSITORY } from './files.ts'

const CONTEXT = fileURLToPath(REPOSITORY)
const RUN_SECONDS = 600

interface Stage {
  /** The folder that is the root of its file system. */
  readonly root: string
  workdir: string
  readonly env: Record<string, string>
  readonly last: Map<string, Instruction>
}

const wordsOf = (instruction: Instruction | undefined): readonly string[] =>
  (instruction?.getArguments() ?? []).map((word) => word.getValue())

/** The words of an instruction in JSON form. */
const jsonOf = (instruction: Instruction | undefined): readonly string[] =>
  JSON.parse(/\[[\s\S]*\]/.exec(instruction?.getTextContent() ?? '')?.[0] ?? '[]')

/** The patterns of `.dockerignore`, each for a path and for those in it. */
const patterns = readFileSync(path.join(CONTEXT, '.dockerignore'), 'utf8')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'))
  .map((line) => {
    const text = line.replace(/^!/, '').replaceAll('.', '\\.').replaceAll('*', '[^/]*')
    return { takes: line.startsWith('!'), pattern: new RegExp(`^${text}(?:/|$)`) }
  })

/** Whether the context contains a file: the last pattern that matches its path decides. */
const isInContext = (name: string): boolean => patterns.findLast(({ pattern }) => pattern.test(name))?.takes ?? true

function copy(stages: ReadonlyMap<string, Stage>, stage: Stage, instruction: Copy): void {
  const words = wordsOf(instruction)
  const target = words.at(-1) as string
  const from = instruction.getFromFlag()?.getValue()
  const origin = from === undefined || from === null ? CONTEXT : (stages.get(from) as Stage).root
  const isTaken = (file: string): boolean => {
    const name = path.relative(CONTEXT, file)
    return origin !== CONTEXT || statSync(file).isDirectory() || isInContext(name)
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
  const env = { ...process.env, PATH, npm_config_update_notifier: 'false', npm_config_loglevel: 'error' }
  const cwd = path.join(stage.root, stage.workdir)
  const ended = spawnSync('sh', ['-c', command], { cwd, env, stdio: 'inherit', timeout: RUN_SECONDS * 1000 })
  if (ended.error !== undefined) throw new Error(`RUN ended after ${RUN_SECONDS} s or earlier: ${ended.error.message}`)
  if (ended.status !== 0) throw new Error(`RUN failed with status ${ended.status}`)
}

function execute(text: string, room: string): Stage {
  const stages = new Map<string, Stage>()
  let stage: Stage = { root: room, workdir: '/', env: {}, last: new Map() }
  const file = DockerfileParser.parse(text)
  const names = file.getFROMs().map((from) => from.getBuildStage())
  for (const instruction of file.getInstructions()) {
    const [first = ''] = wordsOf(instruction)
    const keyword = instruction.getKeyword()
    if (keyword === 'FROM') {
      const name = names[stages.size] as string
      stage = { root: path.join(room, name), workdir: '/', env: {}, last: new Map() }
      stages.set(name, stage)
    } else if (keyword === 'WORKDIR') {
      stage.workdir = first
      mkdirSync(path.join(stage.root, first), { recursive: true })
    } else if (keyword === 'COPY') copy(stages, stage, instruction as Copy)
    else if (keyword === 'RUN') run(stage, instruction.getTextContent())
    else if (keyword === 'ENV')
      for (const word of wordsOf(instruction)) stage.env[word.split('=')[0] as string] = word.split('=')[1] as string
    stage.last.set(keyword, instruction)
  }
  return stage
}

/** `room`: an empty folder. */
export function buildInFolder(text: string, room: string): BuiltImage {
  const { root, workdir, env, last } = execute(text, room)
  // The user of the image must reach its folder.
  chmodSync(room, 0o755)
  const [user = ''] = wordsOf(last.get('USER'))
  const [uid = 0, gid = 0] = user.split(':').map(Number)
  const isRoot = process.getuid?.() === 0
  return {
    root,
    start: [...jsonOf(last.get('ENTRYPOINT')), ...jsonOf(last.get('CMD'))],
    healthCheck: jsonOf(last.get('HEALTHCHECK')),
    env,
    stopSignal: wordsOf(last.get('STOPSIGNAL'))[0] as NodeJS.Signals,
    user: isRoot ? uid : null,
    pathOf: (file) => path.join(root, file),
    command: ([, ...args]) => ({
      file: process.execPath,
      args,
      options: { cwd: path.join(root, workdir), ...(isRoot ? { uid, gid } : {}) },
    }),
  }
}
