import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { afterAll, beforeAll } from 'vitest'
import { FIXTURES } from '../../src/host/recording/recordings.ts'

/** For tests of all recordings: a copy of them without pauses between their chunks, for the tests of the calling file. */
export function copyWithoutPauses(): () => URL {
  let folder = ''
  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'millrace-'))
    await cp(fileURLToPath(FIXTURES), folder, { recursive: true })
    for (const name of await readdir(folder, { recursive: true })) {
      if (!/\.stream\.\w+$/.test(name)) continue
      const file = path.join(folder, name.replace(/\.stream\.\w+$/, '.settings.json'))
      const settings = JSON.parse(await readFile(file, 'utf8').catch(() => '{}'))
      await writeFile(file, JSON.stringify({ ...settings, pace: 0 }))
    }
  })
  afterAll(() => rm(folder, { recursive: true }))
  return () => pathToFileURL(`${folder}/`)
}
