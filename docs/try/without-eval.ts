import { config } from 'zod'

/** The policy of the page forbids code from texts, which zod would try. Imported before everything that has a schema. */
config({ jitless: true })
