/**
 * Builds the Dockerfile with Buildah, as root and without a registry. Images of this machine's Node take the place of
 * the images that the stages begin with: one with a shell and npm, and one with nothing else.
 */
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { DockerfileParser } from 'dockerfile-ast'
import type { BuiltImage } from './built-image.ts'
import { DEPLOY, REPOSITORY } from './files.ts'

const BUILD_SECONDS = 900
const STEP_SECONDS = 120
/** What the instructions RUN and npm call. */
const PROGRAMS = ['sh', 'find', 'env'] as const

/** The configuration of an image in the format of Docker, as far as it is read here. */
interface ImageConfig {
  readonly User: string
  readonly Env: readonly string[]
  readonly Entrypoint: readonly string[]
  readonly Cmd: readonly string[]
  readonly WorkingDir: string
  readonly StopSignal: NodeJS.Signals
  readonly Healthcheck: { readonly Test: readonly string[] }
}

export const hasBuildah = (): boolean =>
  process.getuid?.() === 0 && spawnSync('buildah', ['--version'], { timeout: STEP_SECONDS * 1000 }).status === 0

/** The libraries that a program loads. */
function librariesOf(program: string): readonly string[] {
  const { stdout } = spawnSync('ldd', [program], { encoding: 'utf8', timeout: STEP_SECONDS * 1000 })
  return [...stdout.matchAll(/(\/\S+)/g)].map(([file]) => file)
}

/** Copies programs of this machine, with their libraries, into the root of an image. */
function copyPrograms(root: string, programs: readonly (readonly [from: string, to: string])[]): void {
  const libraries = programs.flatMap(([from]) => librariesOf(from)).map((file) => [file, file] as const)
  for (const [from, to] of [...programs, ...libraries]) cpSync(from, path.join(root, to), { dereference: true })
}

/** An image with the programs that the instructions RUN call. */
function writeBuildRoot(root: string): string {
  const programs = PROGRAMS.map((name) => [`/usr/bin/${name}`, `/usr/bin/${name}`] as const)
  copyPrograms(root, [[process.execPath, '/usr/bin/node'], ...programs])
  const npm = path.resolve(process.execPath, '../../lib/node_modules/npm')
  cpSync(npm, path.join(root, 'usr/lib/node_modules/npm'), { recursive: true })
  symlinkSync('../lib/node_modules/npm/bin/npm-cli.js', path.join(root, 'usr/bin/npm'))
  symlinkSync('usr/bin', path.join(root, 'bin'))
  mkdirSync(path.join(root, 'tmp'))
  const trusted = process.env.NODE_EXTRA_CA_CERTS
  if (trusted === undefined || !existsSync(trusted)) return ''
  cpSync(trusted, path.join(root, trusted), { dereference: true })
  return `ENV NODE_EXTRA_CA_CERTS=${trusted}\n`
}

function writeRuntimeRoot(root: string): string {
  copyPrograms(root, [[process.execPath, '/nodejs/bin/node']])
  return ''
}

/** `room`: an empty folder. */
export function buildWithBuildah(text: string, room: string): BuiltImage {
  const storage = ['--root', path.join(room, 'storage'), '--runroot', path.join(room, 'run'), '--storage-driver', 'vfs']
  const buildah = (args: readonly string[], seconds: number, output: 'inherit' | 'pipe' = 'inherit'): string => {
    const { status, stdout, error } = spawnSync('buildah', [...storage, ...args], {
      encoding: 'utf8',
      timeout: seconds * 1000,
      stdio: ['ignore', output, 'inherit'],
    })
    if (error !== undefined) throw new Error(`buildah ended after ${seconds} s or earlier: ${error.message}`)
    if (status !== 0) throw new Error(`buildah ${args[0]} failed with status ${status}`)
    return (stdout ?? '').trim()
  }
  const build = (name: string, context: string, args: readonly string[], seconds: number): void =>
    void buildah(['build', '--isolation', 'chroot', '--format', 'docker', ...args, '--tag', name, context], seconds)

  const images = DockerfileParser.parse(text)
    .getFROMs()
    .map((from) => from.getImage() as string)
  for (const [n, image] of [...new Set(images)].entries()) {
    const root = path.join(room, `base-${n}`)
    mkdirSync(root)
    const lines = image === images.at(-1) ? writeRuntimeRoot(root) : writeBuildRoot(root)
    const file = path.join(room, `base-${n}.dockerfile`)
    writeFileSync(file, `FROM scratch\nCOPY . /\n${lines}`)
    build(image, root, ['--file', file], STEP_SECONDS)
  }
  const dockerfile = fileURLToPath(new URL('Dockerfile', DEPLOY))
  build('millrace', fileURLToPath(REPOSITORY), ['--file', dockerfile, '--pull=never'], BUILD_SECONDS)
  const container = buildah(['from', '--pull-never', 'millrace'], STEP_SECONDS, 'pipe')
  const root = buildah(['mount', container], STEP_SECONDS, 'pipe')
  const inspected = buildah(['inspect', '--type', 'image', 'millrace'], STEP_SECONDS, 'pipe')
  return imageOf(root, JSON.parse(inspected).Docker.config)
}

function imageOf(root: string, config: ImageConfig): BuiltImage {
  const [uid, gid] = config.User.split(':')
  return {
    root,
    start: [...config.Entrypoint, ...config.Cmd],
    healthCheck: config.Healthcheck.Test.slice(1),
    env: Object.fromEntries(config.Env.map((pair) => pair.split(/=(.*)/s).slice(0, 2))),
    stopSignal: config.StopSignal,
    user: Number(uid),
    pathOf: (file) => file,
    command: (words) => ({
      file: 'unshare',
      // Becomes the program, without a process in between that would receive its signals.
      args: ['--root', root, '--wd', config.WorkingDir, '--setgid', `${gid}`, '--setuid', `${uid}`, ...words],
      options: {},
    }),
  }
}
