/** A JSON value, as JSON.parse returns it. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject

export interface JsonObject {
  readonly [key: string]: Json
}

/** An object of which nothing but that is known. */
export type JsonRecord = Readonly<Record<string, unknown>>
