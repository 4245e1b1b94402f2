import { type ContextKey, contextKey } from '#http'

/** Record that a FileAttributesFilter found. */
export interface FileAttributes {
  /** Values by the names of the fields; empty without a record. */
  readonly record: Readonly<Record<string, string>>
}

/** The context `fileAttributes`. */
export const FileAttributesContext: ContextKey<FileAttributes> = contextKey<FileAttributes>('fileAttributes')
