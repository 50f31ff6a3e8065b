import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'

/** The last release, 0.4.0. A release raises it. */
export const LAST_RELEASE = '25139e09'

const FOLDER = 'bench/out/base'

/** The folder of a built commit. */
export const baseFolder = (commit: string): string => `${FOLDER}/${commit}/dist`

/**
 * Builds a commit from the history of this repository, with the packages of this tree, unless it is built. Throws if the
 * history does not have it, as in a shallow clone.
 */
export function buildBase(commit: string): string {
  const folder = baseFolder(commit)
  if (existsSync(folder)) return folder
  const part = `${FOLDER}/${commit}.part`
  rmSync(part, { recursive: true, force: true })
  mkdirSync(part, { recursive: true })
  const archive = execFileSync(
    'git',
    ['archive', commit, 'src', 'package.json', 'tsconfig.json', 'tsconfig.build.json'],
    {
      maxBuffer: 1 << 28,
    },
  )
  execFileSync('tar', ['-x', '-C', part], { input: archive })
  execFileSync('npx', ['tsc', '-p', `${part}/tsconfig.build.json`], {
    // The compiler writes its errors to the standard output, which is that of the figures.
    stdio: ['ignore', process.stderr, 'inherit'],
  })
  renameSync(part, `${FOLDER}/${commit}`)
  return folder
}
