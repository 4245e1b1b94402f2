export {
  isResourceShortage,
  type ReplaceOptions,
  removeDurably,
  removeUnfinishedWrites,
  replaceFile,
  syncDirectory,
  writeDurably,
} from './durable-file.ts'
export { makeDirectory } from './make-directory.ts'
export { nameFile } from './name-file.ts'
export { foldedName, hiddenProblem, nameProblem, nameProblems } from './name-problems.ts'
export { realDirectory } from './real-directory.ts'
export { sha256 } from './sha256.ts'
