/** Writes the registries of the wires: `npm run wires`. */
import { writeFileSync } from 'node:fs'
import { registriesOf } from './registries.ts'

for (const [file, text] of Object.entries(registriesOf())) writeFileSync(file, text)
