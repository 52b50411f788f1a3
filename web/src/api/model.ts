// SPDX-License-Identifier: Apache-2.0
// The names under which the rest of the page knows what the server sends.
import type { components } from "./types";

type Schemas = components["schemas"];

/** Whoever asks: a token has no user. */
export type Asker = Schemas["Me"];
/** The person at this page. */
export type Me = Asker & { user: Schemas["Myself"] };
export type Room = Schemas["Room"];
export type RoomDetail = Schemas["RoomDetail"];
export type RoomList = Schemas["RoomList"];
export type RoomStatus = Schemas["RoomStatus"];
export type ParticipantRole = Schemas["ParticipantRole"];
export type User = Schemas["User"];
export type UserRole = Schemas["UserRole"];
export type UserPatch = Schemas["UserPatch"];
export type NewUser = Schemas["NewUser"];
export type InvitedUser = Schemas["InvitedUser"];
export type MadeLink = Schemas["MadeLink"];
export type ApiToken = Schemas["ApiToken"];
export type NewApiToken = Schemas["NewApiToken"];
export type MadeApiToken = Schemas["MadeApiToken"];
export type Secret = Schemas["Secret"];
export type SecretValue = Schemas["SecretValue"];
export type AuditEntry = Schemas["AuditEntry"];
export type Worker = Schemas["Worker"];
export type Lane = Schemas["Lane"];
export type DeliverySkip = Schemas["DeliverySkip"];
export type SkipReplay = Schemas["SkipReplay"];
export type Lease = Schemas["Lease"];
export type LeaseList = Schemas["LeaseList"];
export type LeaseRelease = Schemas["LeaseRelease"];
export type LeaseView = "all" | "waiting";
export type Participant = Schemas["Participant"];
export type RoomEvent = Schemas["Event"];
export type EventPage = Schemas["EventList"];
export type NewEvent = Schemas["NewEvent"];
export type EventAnswer = Schemas["EventAnswer"];
export type Content = Schemas["Content"];
export type MediaContent = Schemas["MediaContent"];
export type Attachment = Schemas["Attachment"];
export type RealtimeType = Schemas["RealtimeType"];
export type ReadMarker = Schemas["ReadMarker"];
export type Unread = Schemas["Unread"];
export type Approval = Schemas["Approval"];
export type ApprovalTool = Schemas["ApprovalTool"];
export type ApprovalVerdict = Schemas["ApprovalVerdict"];
export type ApprovalList = Schemas["ApprovalList"];
export type Notification = Schemas["Notification"];
export type NotificationList = Schemas["NotificationList"];
export type NotificationsRead = Schemas["NotificationsRead"];
export type ProblemBody = Schemas["Problem"];
export type ExecutionStatus = Schemas["ExecutionStatus"];
export type ExecutionTask = Schemas["ExecutionTask"];
export type NewWorkflow = Schemas["NewWorkflow"];
export type TaskTemplate = Schemas["TaskTemplate"];
export type ToolInvocation = Schemas["ToolInvocation"];
export type Workflow = Schemas["Workflow"];
export type WorkflowExecution = Schemas["WorkflowExecution"];
export type WorkflowPatch = Schemas["WorkflowPatch"];
export type WorkflowVersion = Schemas["WorkflowVersion"];
export type AgentState = Schemas["Session"];
export type AgentStatus = Schemas["SessionStatus"];
export type Run = Schemas["Run"];
export type Wake = Schemas["Wake"];
export type ToolCallContent = Schemas["ToolCallContent"];
export type RegisteredChannel = Schemas["RegisteredChannel"];
