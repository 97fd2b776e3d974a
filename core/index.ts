/**
 * The door: what a plugin may import, built-in or not; what reads executables is behind core/binaries.ts.
 * The rings behind it are in ARCHITECTURE.md; test/architecture.test.ts holds plugins to these two files.
 */
export type { Architecture, Binary, Segment } from './binary/binary.js';
export { compareBuildId } from './binary/build-id.js';
export type { Check, CheckKind, CheckName, CheckRole } from './binary/checks/check.js';
export type { BinaryStore, MappedBinary } from './binary/store.js';
export type { Lookup, SymbolChain } from './binary/symbols/chain.js';
export type { DemangleMode } from './binary/symbols/demangle.js';
export type { SymbolDetail, SymbolFrame, SymbolSource } from './binary/symbols/source.js';
export type { RegisterFile } from './binary/unwind/registers.js';
export { parseDuration } from './config/duration.js';
export type { OptionsOf } from './config/options-of.js';
export { ItemError, RunStopped, UsageError } from './engine/contract/errors.js';
export { itemName } from './engine/contract/item-name.js';
export * from './engine/contract/plugin.js';
export { refuseTerminal, standardInput } from './engine/flow/standard-input.js';
export { prepareTarget, processStart, writeFileAtomically } from './engine/outputs/atomic-file.js';
export {
  compilePattern,
  type OptionPath,
  type Pattern,
  type ReplacingPattern,
  rowMatcher,
} from './engine/outputs/pattern.js';
export { bytesSource } from './formats/bytes-source.js';
export { gzip, HELD_PIECES } from './formats/compression/gzip-write.js';
export { openInput } from './formats/compression/input.js';
export { ZstdStream } from './formats/compression/zstd-stream.js';
export { FormatError, type FormatErrorPlace } from './formats/errors.js';
export type { GoFrame, GoTable, StackDeltas } from './formats/gopclntab/table.js';
export { type ByteInput, type InputNote, type PlacedReads, placedReads } from './formats/input.js';
export { defineKernel, type KernelExports } from './formats/kernel.js';
export { Budget, defaultLimits, type LimitName, type Limits } from './formats/limits.js';
export { ByteReader } from './formats/reader.js';
export type { AddressNames, NamedRange } from './formats/symbols/address-names.js';
export { callAddress } from './profile/call-address.js';
export { type AddressSpace, type CaptureTable, registersPerSample } from './profile/capture.js';
export { checkProfile } from './profile/check.js';
export {
  type LabelSpec,
  type LocationSpec,
  type MappingSpec,
  ProfileBuilder,
  type ProfileHeader,
  type SampleSpec,
  type ValueTypeSpec,
} from './profile/edit/builder.js';
export { compactProfile } from './profile/edit/compact.js';
export { type FunctionSpec, type NewLabel, type NewLine, ProfileEditor } from './profile/edit/editor.js';
export { addFrames, foldFrames, renameFunctions } from './profile/edit/frame-maps.js';
export { type FunctionInfo, findFunctions, forEachFunction } from './profile/edit/function-texts.js';
export { mapLabel, setLabel } from './profile/edit/label-maps.js';
export {
  fromPlainProfile,
  type PlainFrame,
  type PlainProfile,
  type PlainSample,
  plainProfile,
} from './profile/edit/plain-samples.js';
export { addSampleType, dropSampleType, filterSamples, selectSampleTypes } from './profile/edit/sample-edits.js';
export { type FrameOrder, type FrameVisitor, forEachSample, type SampleView } from './profile/edit/sample-view.js';
export { normalizeTo, scaleValues, valueSums } from './profile/edit/scale.js';
export { type Selection, selectRows } from './profile/edit/select.js';
export { mapTexts, type TextMaps } from './profile/edit/text-maps.js';
export { goPackage, isRuntimePackage, isStandardPackage } from './profile/figures/go-packages.js';
export { heaviestFirst, sumEqualSamples, weightsOf } from './profile/figures/heaviest.js';
export { subtractProfile } from './profile/figures/subtract.js';
export { jsonInteger } from './profile/int64.js';
export { addProfile, type MergeInput } from './profile/merge/add.js';
export { combineMerges } from './profile/merge/combine.js';
export { checkAddable, checkPeriodType, sampleTypesKey } from './profile/merge/compatible.js';
export { finishMerge, type MergeNotes } from './profile/merge/finish.js';
export { finishMerges, inputPlace, type PlacedMerge } from './profile/merge/reconcile.js';
export { MergeState } from './profile/merge/state.js';
export { decodeMerge, encodeMerge } from './profile/merge/wire.js';
export * from './profile/profile.js';
export { quoteText } from './profile/quote.js';
export { findSampleType, type SampleType } from './profile/sample-type.js';
export { ExactSums } from './profile/sums.js';
export { tableBytes } from './profile/table-bytes.js';
export { moveUnknown } from './profile/unknown.js';
export { OTHER_FRAME, TRUNCATED_FRAME } from './profile/virtual-frames.js';
