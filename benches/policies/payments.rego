package payments

default decision := "confirm"

decision := "deny" if {
	input.tool == "send_money"
	input.arguments.amount > 10000
} else := "allow" if {
	input.tool == "send_money"
	input.label.integrity == "trusted"
	input.label.secrecy in {"public", "private"}
	input.arguments.recipient in data.payees
}
