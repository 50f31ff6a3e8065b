import { existsSync, readFileSync } from 'node:fs'
import { DockerfileParser } from 'dockerfile-ast'
import { validate } from 'dockerfile-utils'
import { describe, expect, it } from 'vitest'
import { REPOSITORY, readDeployed } from './files.ts'

const text = readDeployed('Dockerfile')
const file = DockerfileParser.parse(text)
const stages = file.getFROMs().map((from) => from.getBuildStage())

/** The arguments of all instructions with this keyword. */
const argumentsOf = (keyword: string): readonly (readonly string[])[] =>
  file
    .getInstructions()
    .filter((instruction) => instruction.getKeyword() === keyword)
    .map((instruction) => instruction.getArguments().map((word) => word.getValue()))

describe('the Dockerfile', () => {
  it('has no mistake that the linter finds', () => {
    expect(validate(text)).toEqual([])
    expect(validate(text.replace('EXPOSE 8787', 'EXPOSE http!'))).not.toEqual([])
  })

  it('names each stage, and copies from stages above', () => {
    expect(stages).toEqual(['build', 'modules', 'server'])
    const sources = file.getCOPYs().flatMap((copy) => copy.getFromFlag()?.getValue() ?? [])
    expect(sources).toEqual(['modules', 'build'])
  })

  it('copies only files of the repository that its context contains', () => {
    const own = file.getCOPYs().filter((copy) => copy.getFromFlag() === null)
    const sources = own.flatMap((copy) =>
      copy
        .getArguments()
        .slice(0, -1)
        .map((word) => word.getValue()),
    )
    expect(sources.filter((source) => !existsSync(new URL(source, REPOSITORY)))).toEqual([])
    const context = readContext()
    expect([...new Set(sources)].filter((source) => !context.some((path) => path.split('/')[0] === source))).toEqual([])
  })

  it('names a version of each image', () => {
    expect(argumentsOf('FROM').filter(([image = '']) => !image.includes(':') || image.endsWith(':latest'))).toEqual([])
  })

  it('runs as a user without rights', () => {
    const [user = []] = argumentsOf('USER')
    expect(user).toEqual(['65532:65532'])
  })
})

/** The patterns of `.dockerignore` that take files into the context. */
function readContext(): readonly string[] {
  const lines = readFileSync(new URL('.dockerignore', REPOSITORY), 'utf8').split('\n')
  return lines.filter((line) => line.startsWith('!')).map((line) => line.slice(1))
}
